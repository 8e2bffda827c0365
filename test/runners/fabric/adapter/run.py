"""An adapter of NeMo Fabric without a model: the instruction says what it does."""

import json
import os
import sys
import time


def invoke(text):
    if text == "fail":
        error = {"code": "scripted_failure", "message": "as it was told", "retryable": False}
        return {"status": "failed", "output": {"response": "half"}, "error": error}
    if text == "crash":
        sys.stderr.write("dying as it was told\n")
        os._exit(3)
    if text == "sleep":
        time.sleep(1000)
    with open("made.txt", "w") as file:
        file.write("made\n")
    usage = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    return {"status": "succeeded", "output": {"response": text}, "usage": usage}


for line in sys.stdin:
    message = json.loads(line)
    operation = message["operation"]
    output = None
    if operation == "invoke":
        output = invoke(message["payload"]["request"]["input"])
    answer = {"operation": operation, "outcome": {"status": "succeeded", "output": output}}
    print(json.dumps(answer), flush=True)
    if operation == "stop":
        break
