"""What schemathesis is to do beside what the documents say."""

import random
import uuid

import schemathesis

EXAMPLE_KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
_random = random.Random(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Each request comes from another client: those without a key do not use up the limit of one address."""
    case.headers["X-Forwarded-For"] = "10.%d.%d.%d" % tuple(_random.randrange(1, 255) for _ in range(3))
    # The example once more would mean the first request once more.
    if case.headers.get("Idempotency-Key") == EXAMPLE_KEY:
        case.headers["Idempotency-Key"] = str(uuid.UUID(int=_random.getrandbits(128)))


@schemathesis.hook
def map_body(context, body):
    """JSON Schema takes 7.0 for an integer. The catalogue refuses it: it keeps every digit of an int64."""
    return _without_fractions(body)


def _without_fractions(value):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_without_fractions(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_fractions(item) for name, item in value.items()}
    return value
