"""Claim: a slip of the keyboard is answered with the name that was meant."""

from solver.suggest import near, near_or_all


def test_that_near_names_are_found_whatever_their_case() -> None:
    assert near("RESNET18", ["resnet18", "vgg16"]) == "did you mean resnet18?"
    assert near("zebra", ["resnet18", "vgg16"]) == ""


def test_that_everything_is_listed_where_nothing_is_near() -> None:
    assert near_or_all("mse ", ("softmax-ce", "mse")) == "did you mean mse?"
    assert near_or_all("zzz", ("softmax-ce", "mse")) == "one of: softmax-ce, mse"
