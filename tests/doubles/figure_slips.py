"""What was probably done where step 5 makes a wrong figure: each slip in words, and the figure that it leads to."""

import struct
from math import isclose

from shared.generation import Generation

ROUNDED = "Probably it is rounded on the way, as a float32, a timedelta or whole nanoseconds are, and only `as_dict()` "
ROUNDED += "rounds: "
Slips = dict[str, float]


def slips_of_the_count(of: Generation) -> Slips:
    """Of the output tokens."""
    return {
        "words of the text were counted": len(of.text.split()),
        "characters were counted": len(of.text),
        "the prompt's tokens were counted in": len(of.output_ids) + of.input_tokens,
        "one id was left out, such as the first or the EOS": len(of.output_ids) - 1,
    }


def slips_of_throughput(of: Generation) -> Slips:
    """In tokens a second."""
    tokens, ttft, latency = len(of.output_ids), of.ttft_s, of.latency_s
    return {
        "the time to the first token was left out of the latency": tokens / (latency - ttft),
        "the first token was left out": (tokens - 1) / latency,
        "the prompt's tokens were counted in": (tokens + of.input_tokens) / latency,
        "it is one over TPOT, the rate after the first token": (tokens - 1) / (latency - ttft),
        "seconds were divided by tokens": latency / tokens,
    }


def slips_of_tpot(of: Generation) -> Slips:
    """In milliseconds."""
    tokens, ttft, latency = len(of.output_ids), of.ttft_s, of.latency_s
    return {
        "it was divided by all tokens, the first included": 1000 * (latency - ttft) / tokens,
        "TTFT was left in": 1000 * latency / (tokens - 1),
        "TTFT was left in and the first token too": 1000 * latency / tokens,
        "one token more was left out, such as the EOS": 1000 * (latency - ttft) / (tokens - 2),
        "milliseconds were taken off seconds": (latency - 1000 * ttft) / (tokens - 1),
        "milliseconds were taken off seconds, and that times 1000": 1000 * (latency - 1000 * ttft) / (tokens - 1),
        "seconds were taken off milliseconds": (1000 * latency - ttft) / (tokens - 1),
    }


def is_rounded(value: float, wanted: float) -> bool:
    """Whether the value is the wanted one as a float32, or with fewer digits."""
    as_float32 = struct.unpack("f", struct.pack("f", wanted))[0]
    places = (round(wanted, digits) for digits in range(13))
    return value in {as_float32, *places, *(float(f"{wanted:.{digits}g}") for digits in range(6, 12))}


def scale_slip(name: str, value: float, wanted: float, within: float = 1e-6) -> str:
    """What to say first of a value that is 1000 times off, or nothing."""
    small, large = ("in seconds", "in microseconds") if name.endswith("_ms") else ("per millisecond", "1000 times off")
    for unit, factor in ((small, 1000), (large, 1 / 1000)):
        if wanted and isclose(value * factor, wanted, rel_tol=within):
            return f"{value:.4g}: is this {unit}? "
    return ""
