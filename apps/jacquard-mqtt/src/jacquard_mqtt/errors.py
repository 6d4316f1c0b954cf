"""Why a request has not been carried out."""


class RequestError(Exception):
    def __init__(self, code: str, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.advice = advice
