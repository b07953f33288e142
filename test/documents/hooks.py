"""What schemathesis does in addition to what the documents describe."""

import json
import os
import random
import uuid

import schemathesis

# Ids of an account that the run is about, and of what belongs to it; empty if it may be any.
IDS = json.loads(os.environ.get("IDS", "{}"))
# Whether that account is suspended.
SUSPENDED = os.environ.get("SUSPENDED") == "yes"
_random = random.Random(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Sends each request from another address, so that requests without a key do not use up the limit of one."""
    case.headers["X-Forwarded-For"] = "10.%d.%d.%d" % tuple(_random.randrange(1, 255) for _ in range(3))
    # A repeated key repeats the first answer, which may be about something that has been deleted since.
    if "Idempotency-Key" in case.headers and _is_valid(case):
        case.headers["Idempotency-Key"] = str(uuid.UUID(int=_random.getrandbits(128)))
    # Other accounts are not found.
    if _is_valid(case):
        for name in IDS.keys() & (case.path_parameters or {}).keys():
            case.path_parameters[name] = IDS[name]
        # A made-up version is never there: half of the changes have none.
        if _random.random() < 0.5:
            case.headers.pop("If-Match", None)


@schemathesis.check
def suspended_account_is_refused(context, response, case):
    """A suspended account changes nothing, and its keys do nothing."""
    if not SUSPENDED or not _is_valid(case) or response.status_code == 429:
        return
    # The control API, or a document.
    if not case.operation.path.startswith("/pets"):
        if case.method.upper() in ("GET", "DELETE") or not IDS.keys() & (case.path_parameters or {}).keys():
            return
    # Authentication may be left out on purpose.
    if response.status_code == 401:
        return
    # For operators alone, of whom the user is none.
    if case.operation.path.startswith("/operator/"):
        assert (response.status_code, response.json()["code"]) == (403, "forbidden"), "accepted from no operator"
        return
    assert (response.status_code, response.json()["code"]) == (403, "account_suspended"), "accepted for a suspended account"


def _is_valid(case):
    return case.meta is not None and case.meta.generation.mode.is_positive


@schemathesis.hook
def map_body(context, body):
    """Replaces 7.0 by 7: JSON Schema accepts both as integers, but the catalogue keeps every digit of an int64, and refuses 7.0."""
    return _with_short_local_part(_without_fractions(body))


def _with_short_local_part(body):
    """Before the @ are at most 64 characters (RFC 5321, 4.5.3.1.1), which no pattern without lookahead says."""
    if not isinstance(body, dict) or not isinstance(body.get("email"), str):
        return body
    local, at, domain = body["email"].rpartition("@")
    return {**body, "email": local[-64:].lstrip(".") + at + domain}


def _without_fractions(value):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_without_fractions(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_fractions(item) for name, item in value.items()}
    return value
