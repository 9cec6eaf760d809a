"""Servers over REST that guess what a request does not say: the name, the datatype or the shape of an input.

Each row of WRONG names the requirement that must be among those that fail."""
from rest_relay import refusal
from rest_variants import Variant, edits_inference, tensors


def flat(data):
    return [element for part in data for element in flat(part)] if isinstance(data, list) else [data]


def guesses(member, guess):
    """Makes an edit of a request: an input without that member gets `guess(input, its place, all inputs)`, unless that is None."""
    @edits_inference
    def change(request, body):
        inputs, done = tensors(body, "inputs"), False
        for place, tensor in enumerate(inputs):
            made = guess(tensor, place, inputs) if member not in tensor and isinstance(tensor.get("data"), list) else None
            if made is not None:
                tensor[member], done = made, True
        return None if done else False
    return change


def of_the_first(member):
    return lambda tensor, place, inputs: inputs[0].get(member) if place else None


def of_elements(kind, datatype):
    """The datatype of data with an element of that kind, in which whole numbers may stand beside fractions."""
    def guess(tensor, place, inputs):
        elements = flat(tensor["data"])
        kinds = {type(element) for element in elements}
        return datatype if kind in kinds and kinds <= {kind, int} else None
    return guess


def of_brackets(tensor, place, inputs):
    """The shape as the brackets have it; flat data is left alone."""
    data = tensor["data"]
    return [len(data), len(data[0])] if data and isinstance(data[0], list) else None


def of_one_row(tensor, place, inputs):
    return [1, len(flat(tensor["data"]))]


def of_its_place(tensor, place, inputs):
    return f"INPUT{place}"


@edits_inference
def refuses_fractions(request, body):
    """A parameter is a text, a whole number, true or false, as in the .proto."""
    parameters = body.get("parameters")
    if isinstance(parameters, dict) and any(isinstance(value, float) for value in parameters.values()):
        return refusal(400, "a parameter has no fraction")
    return False


# --- The tables ------------------------------------------------------------------------------------------------------------

VARIANTS = [
    Variant("no-fractions", "000, Parameters: currently no parameters are defined", request=refuses_fractions),
]

# The member that is guessed, the name of the variant, how the server comes by it, and the guess.
GUESSES = [
    ("name", "second-name", "the second input has its name by its place", lambda t, place, i: f"INPUT{place}" if place else None),
    ("name", "only-name", "inputs have their names by their places", of_its_place),
    ("datatype", "second-datatype", "the second input has the datatype of the first", of_the_first("datatype")),
    ("datatype", "datatype-of-texts", "texts without a datatype are BYTES", of_elements(str, "BYTES")),
    ("datatype", "datatype-of-bool", "true and false without a datatype are BOOL", of_elements(bool, "BOOL")),
    ("datatype", "datatype-of-integers", "whole numbers without a datatype are INT32", of_elements(int, "INT32")),
    ("datatype", "datatype-of-fractions", "numbers without a datatype are FP64", of_elements(float, "FP64")),
    ("shape", "second-shape", "the second input has the shape of the first", of_the_first("shape")),
    ("shape", "shape-of-brackets", "data without a shape has that of its brackets", of_brackets),
    ("shape", "shape-of-one-row", "data without a shape is one row", of_one_row),
]
WRONG = [(Variant("guesses-" + name, why, request=guesses(member, guess)), f"v2-rest.{member}-required") for member, name, why, guess in GUESSES]
