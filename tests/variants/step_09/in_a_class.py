"""Methods of a class, with its own set-up; one test for each thing that `/generate` promises."""

from http import HTTPStatus


class TestServer:
    def setup_method(self):
        self.body = {"prompt": "Say hello.", "max_new_tokens": 1}

    def test_health(self, client):
        assert client.get("/health").status_code is HTTPStatus.OK.value

    def test_generate(self, client):
        assert client.post("/generate", json=self.body).status_code == HTTPStatus.OK

    def test_generate_counts_its_tokens(self, client):
        assert client.post("/generate", json=self.body).json()["metrics"]["output_tokens"] > 0
