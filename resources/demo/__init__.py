"""Stored results of the demo: resnet18_cifar on the nRF52840, one file per budget."""
