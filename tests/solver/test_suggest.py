"""Claim: a slip of the keyboard is answered with the name that was meant."""

from solver.suggest import near, near_or_all, nearest_first


def test_that_near_names_are_found_whatever_their_case() -> None:
    assert near("RESNET18", ["resnet18", "vgg16"]) == "did you mean resnet18?"
    assert near("zebra", ["resnet18", "vgg16"]) == ""


def test_that_everything_is_listed_where_nothing_is_near() -> None:
    assert near_or_all("mse ", ("softmax-ce", "mse")) == "did you mean mse?"
    assert near_or_all("zzz", ("softmax-ce", "mse")) == "one of: softmax-ce, mse"


def test_that_a_name_that_holds_what_was_typed_stands_before_one_that_looks_like_it() -> None:
    assert nearest_first("lp", ["lap", "N", "lp.trips"]) == "lp.trips, lap, N"


def test_that_of_many_names_the_nearest_eight_are_listed() -> None:
    names = [f"size{k}" for k in range(12)]
    text = nearest_first("size11", names)
    assert text.startswith("size11, ")
    assert text.endswith(" and 4 more")
    assert text.count(", ") == 7
