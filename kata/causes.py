"""What is usually behind an exception that a solution has raised: a sentence that helps, where its text is known.

The texts are those of Python 3.11 to 3.13 and of torch. One that is not known is told as it is, and nothing is guessed.
"""

import re

_NONE = "something is None here. A function without `return` gives None, and so does a method that works in place"
_SIGNATURE = "other steps and the server call it as the stub has it: keep its name and its parameters"
_STUBS = r"\b(prepare_inputs|sample_next_token|generate_(un)?cached|decode_tokens|summarize|generate_stream|detokenize|"
_STUBS += r"percentile|create_app|CachedEngine\.\w+|to_sampling_params)"
_ONE_NUMBER = "only a tensor of one element is a number: take the last row first, and in it one place"
_CAUSES = (
    (r"RecursionError", "a function goes on calling itself"),
    (r"EOFError", "there is nobody to type: input() has no place in a step"),
    (
        r"generator ignored GeneratorExit",
        "the iterator was closed, and went on to another `yield`: let GeneratorExit through; `except Exception` does "
        "not catch it",
    ),
    (r"MemoryError", "it asks for more memory than there is"),
    (
        r"same number of dimensions|zero-dimensional tensor .* cannot be concatenated",
        "torch.cat joins tensors of equally many dimensions: ids and mask are (1, length), so what is joined to them "
        "has to be (1, 1)",
    ),
    (
        r"Sizes of tensors must match except in dimension",
        "torch.cat joins along dimension 0 unless told otherwise, and ids grow along the last: dim=-1",
    ),
    (r"expected Tensor as element \d+ in argument 0", "torch.cat joins tensors: make one of the number first"),
    (r"cannot be converted to Scalar|one element tensors can be converted", _ONE_NUMBER),
    (r"Boolean value of Tensor with more than", f"`if` and `and` want one truth: {_ONE_NUMBER}"),
    (
        r"too many indices for tensor|Dimension out of range",
        "the tensor has fewer dimensions than this line takes: print its shape",
    ),
    (
        r"size of tensor a .* must match the size of tensor b",
        "the two shapes do not fit: print both; a dimension that was dropped comes back with keepdim=True",
    ),
    (r"iteration over a 0-d tensor", "this tensor holds one number and no row: `.tolist()` wants at least (1,)"),
    (r"only supports floating-point|not implemented for 'Long'", "these are whole numbers: odds are made of logits"),
    (r"prob_dist must be 1 or 2 dim", "torch.multinomial takes (batch, vocab): take the last position's logits first"),
    (r"supports boolean masks", "a mask says yes or no: make it by a comparison"),
    (
        r"not on the expected device|same device|Expected all tensors to be on",
        "a tensor was made on the CPU and the others are elsewhere: make it with `device=` or a `new_…` method of one "
        "that is there",
    ),
    (r"requires grad\. Use|Inplace update to inference tensor", "it belongs to the model's graph: detach or clone it"),
    (r"index out of range in self", "an id or a position that the model does not have went in: print the largest"),
    (r"Expected tensor for argument #1 'indices'", "the model takes ids, whole numbers: int64 (`torch.long`)"),
    (r"'Tensor' object has no attribute 'append'", "a tensor does not grow: torch.cat makes a longer one"),
    (r"can only concatenate list", "`+` joins lists, torch.cat tensors: one of the two is the other kind"),
    (r"'Tensor' object is not callable", "a tensor is called like a function here: square brackets take a part of it"),
    (
        r"'(dict|list)' object has no attribute '(input_ids|attention_mask|to|shape)'",
        'this is no tensor but what should hold it: `inputs["input_ids"]`, or return_tensors="pt" where it was made',
    ),
    (r"'tuple' object has no attribute 'logits'", "the model gave a tuple: leave return_dict alone"),
    (r"KeyError: '(input_ids|attention_mask)'", "ids and mask go together, under these names, as step 1 returns them"),
    (
        r"'NoneType' object cannot be interpreted as an integer|between instances of '(int|NoneType)' and '(int|None)",
        "a number is wanted here and this is None: an argument that may be None (`max_new_tokens`) stands for another "
        "number, which has to be put in its place first",
    ),
    (r"'NoneType' object|for .*: .*'NoneType'", _NONE),
    (
        r"'generator' object is not subscriptable|type 'generator' has no len",
        "a generator gives its items one by one: go through it in a loop, or make a list of it",
    ),
    (r"generator raised StopIteration", "`next` found no more: give it a default, or go through in a loop"),
    (r"'coroutine' object", "this is only the promise of a value: await it"),
    (r"not JSON serializable", "JSON knows plain numbers, text, lists and dicts: `.item()` or `.tolist()` first"),
    (rf"{_STUBS}\(\) (got an unexpected|got multiple|missing \d|takes )", _SIGNATURE),
    (
        r"got an unexpected keyword argument|required positional argument|positional arguments? but",
        "the call and the function named here do not fit: is an argument missing, one too many, or called otherwise?",
    ),
    (
        r"UnboundLocalError",
        "it is set in one branch, or later, and read before: set it ahead of the loop or the `if`",
    ),
    (r"NameError: name", "nothing of this name is there yet: an import is missing, or it is spelled in two ways"),
    (r"IndexError: list index out of range", "the list is shorter than that, or empty: which place is asked for?"),
    (r"ZeroDivisionError", "the number below the line can be 0: ask before you divide"),
    (
        r"AttributeError: 'Generation' object has no attribute",
        "a Generation has text, input_tokens, output_ids, finish_reason, ttft_s, latency_s and used_cache",
    ),
    (r"object is not callable", "something that is no function is called: is its name used twice?"),
)


def cause_of(kind: str, message: str) -> str:
    """The sentence, or nothing. kind: the exception's type."""
    text = f"{kind}: {message}"
    return next((cause for pattern, cause in _CAUSES if re.search(pattern, text)), "")


def sentence_on(error: Exception) -> str:
    """The cause of an error that a check tells itself, with a full stop; or nothing."""
    cause = cause_of(type(error).__name__, str(error))
    return f"{cause}." if cause and not cause.endswith("?") else cause


def is_misspelt(error: Exception) -> bool:
    """Whether a name is wrong, for which no value is to blame."""
    return isinstance(error, AttributeError | NameError)
