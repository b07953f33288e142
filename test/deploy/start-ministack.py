"""Starts ministack with execution environments that live on after an error, as Lambda's do.

Its own end with each error that a handler throws. The steps of a domain throw one whenever a wait goes on, so nine of ten started a process.
"""

import inspect
import textwrap

from ministack.app import main
from ministack.core import lambda_runtime

ENDS = 'if response.get("status") == "error":'
# Only an error that the handler has thrown has a trace.
LIVES_ON = 'if response.get("status") == "error" and "trace" not in response:'

source = textwrap.dedent(inspect.getsource(lambda_runtime.Worker.invoke))
if source.count(ENDS) != 1:
    raise SystemExit(f"{__file__}: this version of ministack has other code where environments end")
changed = {}
exec(compile(source.replace(ENDS, LIVES_ON), __file__, "exec"), lambda_runtime.__dict__, changed)
lambda_runtime.Worker.invoke = changed["invoke"]

main()
