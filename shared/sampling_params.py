"""How tokens are chosen: the sampling settings that travel with one request."""

from dataclasses import dataclass


@dataclass
class SamplingParams:
    """The settings of one request, from the caller of `generate` down to the sampler.

    temperature: 0.0 and below is greedy decoding; above, logits are divided by it.
    top_k: how many of the best tokens may be drawn; 0 and below, or the whole vocabulary and above: all of them.
    top_p: nucleus size, the smallest set of best tokens whose probabilities reach it; 1.0: all of them.
    ignore_eos: go on to the limit even where the model says that it has finished.
    max_tokens: how many new tokens at most, where `generate` is given no `max_new_tokens`.

    Example: `SamplingParams()` is greedy, `SamplingParams(temperature=0.8, top_p=0.95)` is nucleus sampling.
    """

    temperature: float = 0.0
    top_k: int = -1
    top_p: float = 1.0
    ignore_eos: bool = False
    max_tokens: int = 1024

    @property
    def is_greedy(self) -> bool:
        """A sufficient sign of greedy decoding, not a necessary one.

        True means that the best token is taken. False does not mean that a token is drawn: a temperature of 0 with
        `top_p=0.9` is argmax as well. So never divide by a temperature because this is False.
        """
        return (self.temperature <= 0.0 or self.top_k == 1) and self.top_p == 1.0
