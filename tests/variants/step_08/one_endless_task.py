"""A task that lives as long as the app takes orders from a queue, one after the other, and fulfils futures."""

import asyncio
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse

from shared.responses import add_error_handlers

from .step_04_generate_cached import generate_cached
from .step_05_metrics import summarize
from .step_06_streaming import generate_stream
from .step_07_schemas import GenerateRequest, GenerateResponse


class CachedEngine:
    def __init__(self, model, tokenizer):
        self.model = model
        self.tokenizer = tokenizer

    def generate(self, prompt, max_new_tokens=None, params=None):
        if not isinstance(prompt, str):
            raise TypeError("the prompt is text")
        result = summarize(generate_cached(self.model, self.tokenizer, prompt, max_new_tokens, params))
        assert result.text is not None
        return result

    def stream(self, prompt, max_new_tokens=None, params=None):
        if not isinstance(prompt, str):
            raise TypeError("the prompt is text")
        for piece in generate_stream(self.model, self.tokenizer, prompt, max_new_tokens, params):
            assert piece
            yield piece


async def work_off(orders):
    while True:
        work, answer = await orders.get()
        try:
            result = await asyncio.to_thread(work)
        except Exception as error:
            if not answer.cancelled():
                answer.set_exception(error)
        else:
            if not answer.cancelled():
                answer.set_result(result)
        finally:
            orders.task_done()


def create_app(engine, max_pending=8):
    async def order(work):
        answer = asyncio.get_running_loop().create_future()
        try:
            app.state.orders.put_nowait((work, answer))
        except asyncio.QueueFull:
            raise HTTPException(503, headers={"Retry-After": "1"}) from None
        return await answer

    @asynccontextmanager
    async def lifespan(app):
        app.state.orders = asyncio.Queue(maxsize=max_pending)
        task = asyncio.create_task(work_off(app.state.orders))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    app = FastAPI(lifespan=lifespan)
    add_error_handlers(app)

    @app.get("/health")
    async def health() -> list[str]:
        return ["ok", f"{app.state.orders.qsize()} waiting"]

    @app.post("/generate", response_model_exclude_unset=True)
    async def generate(request: GenerateRequest) -> GenerateResponse:
        asked = request.prompt, request.max_new_tokens, request.to_sampling_params()
        result = await order(lambda: engine.generate(*asked))
        return GenerateResponse(**{"text": result.text, "metrics": {**result.metrics.as_dict()}})

    @app.post("/stream")
    async def stream(request: GenerateRequest):
        asked = request.prompt, request.max_new_tokens, request.to_sampling_params()
        pieces = iter(await order(lambda: engine.stream(*asked)))

        async def sent():
            while piece := await order(lambda: next(pieces, None)):
                yield piece

        return StreamingResponse(sent(), media_type="text/plain; charset=UTF-8")

    return app
