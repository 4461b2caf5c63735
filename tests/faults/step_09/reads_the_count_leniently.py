"""Has pydantic read the answer, which makes a number of a text unless it is told not to.

Caught by: test_a_wrong_count_of_tokens_is_caught
Says: unless the field is strict
"""

from pydantic import BaseModel, Field


class Metrics(BaseModel):
    output_tokens: int = Field(ge=1)


class Answer(BaseModel):
    metrics: Metrics


def test_health(client):
    assert client.get("/health").status_code == 200


def test_generate(client):
    response = client.post("/generate", json={"prompt": "Say hello.", "max_new_tokens": 4})
    assert response.status_code == 200
    Answer.model_validate(response.json())
