"""Device profiles, one TOML file each."""
