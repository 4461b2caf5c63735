"""The pretended device: it computes as the CPU does, refuses to mix, and keeps apart what was left behind."""

import numpy as np
import pytest
import torch

from tests.doubles.elsewhere import DEVICE, MixedDevices, bring_back, elsewhere, send

ROWS = torch.tensor([[1.0, 3.0, 2.0], [0.0, -1.0, 5.0]], device="cpu")


def test_arithmetic_stays_there_and_is_right() -> None:
    with elsewhere():
        scores = send(ROWS) / 2
        scores[scores < 1] = -torch.inf
        scores[:, 0].add_(1)
    assert scores.device == DEVICE
    assert bring_back(scores).tolist() == [[-torch.inf, 1.5, 1.0], [-torch.inf, -torch.inf, 2.5]]


def test_random_numbers_are_those_of_the_cpu() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        wanted = torch.multinomial(ROWS.softmax(-1), 1)
        torch.manual_seed(1)
        with elsewhere():
            drawn = torch.multinomial(send(ROWS).softmax(-1), 1)
    assert drawn.device == DEVICE
    assert torch.equal(bring_back(drawn), wanted)


@pytest.mark.parametrize(
    "make",
    [
        lambda rows: torch.zeros(2, 1, device=rows.device),
        lambda rows: torch.tensor([[1], [2]], device=rows.device),
        lambda rows: rows.new_tensor([[1], [2]]),
        lambda rows: torch.as_tensor(rows),
        lambda rows: torch.rand(2, 1, device=rows.device) + rows,
        lambda rows: rows.new_full((2, 1), 1.0),
        lambda rows: rows.cpu().exp().to(rows.device),
        lambda rows: rows * torch.tensor(2.0),
        lambda rows: rows[torch.arange(2), torch.tensor([0, 1])],
        lambda rows: torch.tensor(rows.tolist(), device=rows.device),
        lambda rows: torch.empty(2, 3, device=rows.device).copy_(torch.zeros(2, 3)),
        lambda rows: torch.asarray([[1]], device=rows.device),
        lambda rows: torch.asarray(np.array([1]), device=rows.device),
        lambda rows: torch.asarray(rows),
        lambda rows: torch.as_tensor(data=[1], device=rows.device),
        lambda rows: rows.new([[1]]),
        lambda rows: torch.unravel_index(rows.argmax(), rows.shape)[1],
    ],
)
def test_these_are_there(make) -> None:
    with elsewhere():
        assert make(send(ROWS)).device == DEVICE


@pytest.mark.parametrize("leave", [lambda rows: rows.cpu(), lambda rows: torch.zeros(2), lambda rows: torch.rand(2, 3)])
def test_these_are_on_the_cpu(leave) -> None:
    with elsewhere():
        assert leave(send(ROWS)).device.type == "cpu"


def _with(rows, index, value):
    rows = rows.clone()
    rows[index] = value
    return rows


@pytest.mark.parametrize(
    "read",
    [
        lambda rows: rows[:, [-1]],
        lambda rows: rows[..., [-1]],
        lambda rows: rows[[0], [-1]],
        lambda rows: rows[[1]],
        lambda rows: rows[[np.int64(1)]],
        lambda rows: rows[[True, False]],
        lambda rows: rows[:, (0, 2)],
        lambda rows: rows[:, range(2)],
        lambda rows: rows[:, []],
        lambda rows: rows[None, :, [[0], [1]]],
        lambda rows: rows[:, np.array([0, 1])],
        lambda rows: rows[:, [rows.argmax() - 4]],
        lambda rows: rows[rows > 1],
        lambda rows: _with(rows, (0, [0, 2]), 7.0),
        lambda rows: _with(rows, [1], torch.tensor(7.0)),
        lambda rows: _with(rows, 0, torch.ones(3)),
        lambda rows: _with(rows, rows < 1, -torch.inf),
    ],
)
@pytest.mark.parametrize("block", [torch.no_grad, torch.inference_mode])
def test_an_index_of_any_kind_reads_and_writes_the_same_numbers(read, block) -> None:
    with block():
        wanted = read(ROWS)
        with elsewhere():
            got = read(send(ROWS))
    assert got.device == DEVICE
    assert torch.equal(bring_back(got), wanted)


def test_numpy_and_text() -> None:
    with elsewhere():
        rows = send(ROWS)
        assert f"{rows[0, 1]:.1f}" == "3.0"
        assert rows.numpy(force=True).tolist() == ROWS.tolist()
        with pytest.raises(TypeError, match=r"Use Tensor.cpu\(\)"):
            rows.numpy()


@pytest.mark.parametrize(
    "mix",
    [
        lambda rows: rows + torch.zeros(2, 3),
        lambda rows: torch.cat([rows, torch.ones(1, 3)]),
        lambda rows: torch.cat([rows, torch.asarray([[1.0] * 3])]),
        lambda rows: torch.stack([rows[0, 0], torch.tensor(1.0)]),
        lambda rows: rows.gather(1, torch.zeros(2, 1, dtype=torch.int64)),
        lambda rows: torch.ones(2, 3)[rows > 1],
        lambda rows: torch.ones(9)[rows.argmax(-1)],
        lambda rows: _with(rows, [0, 1], torch.ones(2, 3)),
        lambda rows: _with(torch.ones(2, 3), [0, 1], rows),
        lambda rows: torch.multinomial(rows.softmax(-1), 1, generator=torch.Generator()),
    ],
)
def test_two_devices_do_not_mix(mix) -> None:
    with elsewhere(), pytest.raises(MixedDevices):
        mix(send(ROWS))


def test_plain_tensors_are_plain_inside_and_outside() -> None:
    with elsewhere():
        assert (ROWS + torch.ones(2, 3)).device.type == "cpu"
    assert (ROWS + 1).device.type == "cpu"


def test_an_inference_block_takes_views_of_what_was_made_outside() -> None:
    with elsewhere():
        rows = send(ROWS)
        with torch.inference_mode():
            last = torch.cat([rows, rows[:, -1:]], dim=-1)[:, 1:]
    assert bring_back(last).tolist() == [[3.0, 2.0, 2.0], [-1.0, 5.0, 5.0]]


@pytest.mark.parametrize("block", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("move", [lambda x, y: x.to(y), lambda x, y: x.type_as(y), lambda x, y: x.to(y.device)])
def test_a_tensor_is_moved_beside_another(block, move) -> None:
    with elsewhere(), block():
        there, here = send(torch.ones(1, 1)), torch.ones(1, 1, dtype=torch.int64)
        assert move(here, there).device == DEVICE
        assert move(there, here).device == here.device
        assert move(there, there) is there
