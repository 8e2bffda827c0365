"""Drives NeMo Fabric for Assay: takes one order on stdin, answers in JSON lines on stdout.

It needs the standard library and the interpreter's `nemo_fabric`. What else is printed meanwhile, by whatever code, goes
to stderr: stdout leads there from the first moment on, and the answers have a descriptor of their own. Each answer
repeats the token of the order, so that nothing else on that pipe is taken for one.
"""

import hashlib
import json
import os
import sys

PROTOCOL = 1
MAX_ORDER_BYTES = 64 * 1024 * 1024
MAX_TEXT = 8000


class Channel:
    """Where answers go. A line is short: results are files, of which a line tells the digest."""

    def __init__(self):
        self._fd = os.dup(1)
        os.dup2(2, 1)
        self.token = None

    def tell(self, kind, **fields):
        line = {"assay_fabric": PROTOCOL, "token": self.token, "type": kind}
        line.update(fields)
        data = (json.dumps(line, allow_nan=False) + "\n").encode("ascii")
        while data:
            data = data[os.write(self._fd, data) :]


class Refusal(Exception):
    """What makes the order impossible, told as `failed`."""

    def __init__(self, where, message, **facts):
        super().__init__(message)
        self.facts = dict(facts, where=where, message=cut(message))


def cut(text):
    text = str(text)
    return text if len(text) <= MAX_TEXT else text[:MAX_TEXT] + "\u2026"


def main():
    channel = Channel()
    order = json.loads(sys.stdin.buffer.readline(MAX_ORDER_BYTES).decode("utf-8"))
    channel.token = order["token"]
    try:
        serve(channel, order)
    except Refusal as refusal:
        channel.tell("failed", **refusal.facts)
    except Exception as error:  # Whatever it was, it is told: without an answer the reason would be lost.
        channel.tell("failed", **facts_of(error, "run"))


def facts_of(error, where):
    return {
        "where": where,
        "message": cut(error),
        "error_type": type(error).__name__,
        "stage": text_or_none(getattr(error, "stage", None)),
        "code": text_or_none(getattr(error, "code", None)),
        "retryable": getattr(error, "retryable", False) is True,
    }


def text_or_none(value):
    return cut(value) if isinstance(value, str) else None


def serve(channel, order):
    prepare_environment()
    fabric = import_fabric()
    if order["operation"] == "probe":
        channel.tell("facts", **probe(fabric, order))
    else:
        run(fabric, order, channel)


def prepare_environment():
    """Agents are found among the programs and packages of this very interpreter."""
    import sysconfig

    # Else Fabric takes the interpreter that this one was made from, which has none of its packages.
    os.environ.setdefault("ADAPTER_PYTHON", sys.executable)
    places = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    places += [os.environ.get("PATH", os.defpath)]
    os.environ["PATH"] = os.pathsep.join(place for place in places if place)


def import_fabric():
    try:
        import nemo_fabric
    except ImportError as error:
        facts = {"error_type": type(error).__name__, "python": python_version()}
        raise Refusal("import", str(error), **facts)
    return nemo_fabric


def python_version():
    return "%d.%d.%d" % sys.version_info[:3]


def probe(fabric, order):
    packages = installed_packages()
    listed = "".join("%s==%s\n" % item for item in sorted(packages.items()))
    shown = ("nemo", "openai", "claude", "codex", "harbor")
    facts = {
        "python": python_version(),
        "nemo_fabric": packages.get("nemo-fabric") or packages.get("nemo-fabric-runtime"),
        "packages": {name: packages[name] for name in packages if name.startswith(shown)},
        "packages_sha256": sha256(listed.encode("utf-8")),
        "relay": relay_found(),
    }
    config = order.get("config")
    if config is not None:
        facts["plan"] = plan_facts(fabric, order, config)
    return facts


def installed_packages():
    from importlib import metadata

    found = {}
    for distribution in metadata.distributions():
        name = distribution.metadata["Name"]
        if name:
            found.setdefault(name.lower().replace("_", "-"), distribution.version)
    return found


def relay_found():
    """Which forms of NeMo Relay are here: agents of one kind need its command, others its module."""
    import importlib.util
    import shutil

    command = shutil.which("nemo-relay") is not None
    module = importlib.util.find_spec("nemo_relay") is not None
    return {"command": command, "module": module}


def plan_facts(fabric, order, config):
    import asyncio

    client, typed = plan_of(fabric, order, config)
    plan = client.plan(typed, base_dir=order["base_dir"]).to_mapping()
    adapter = plan.get("adapter") or {}
    described = plan.get("adapter_descriptor") or {}
    provenance = (described.get("provenance") or [{}])[0]
    return {
        "adapter_id": adapter.get("adapter_id"),
        "adapter_kind": adapter.get("adapter_kind"),
        "contract_version": adapter.get("contract_version"),
        "descriptor_sha256": sha256(canonical(described.get("descriptor"))),
        "script_sha256": script_digest(adapter.get("runner") or {}, provenance.get("root")),
        "routes": (plan.get("capability_plan") or {}).get("routes") or [],
        "failed_checks": asyncio.run(failed_checks(client, typed, order)),
    }


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")


def script_digest(runner, root):
    """A program that a descriptor names by its file is part of what is run; packages are known by their versions."""
    script = runner.get("script")
    if not script or not root:
        return None
    try:
        with open(os.path.join(root, script), "rb") as file:
            return sha256(file.read())
    except OSError:
        return None


async def failed_checks(client, typed, order):
    report = (await client.doctor(typed, base_dir=order["base_dir"])).to_mapping()
    return [
        cut("%s: %s" % (check.get("name"), check.get("message")))
        for check in report.get("checks") or []
        if check.get("status") == "fail"
    ]


def plan_of(fabric, order, config):
    try:
        typed = fabric.FabricConfig.from_mapping(config)
    except Exception as error:
        raise Refusal("config", str(error), error_type=type(error).__name__)
    client = fabric.Fabric()
    try:
        client.plan(typed, base_dir=order["base_dir"])
    except Exception as error:
        raise Refusal("plan", str(error), **without(facts_of(error, "plan"), "where", "message"))
    return client, typed


def without(facts, *names):
    return {name: facts[name] for name in facts if name not in names}


def run(fabric, order, channel):
    import asyncio

    config = order["config"]
    receiver = None
    if order.get("spans_file"):
        receiver = SpanReceiver(order["spans_file"])
        add_endpoint(config, receiver.url)
    client, typed = plan_of(fabric, order, config)
    channel.tell("started")
    try:
        request = fabric.RunRequest(**order["request"])
        result = asyncio.run(client.run(typed, base_dir=order["base_dir"], request=request))
        channel.tell("result", **store(result.to_mapping(), order))
    finally:
        if receiver is not None:
            receiver.stop()


def store(result, order):
    """Writes the result and says which bytes these are: what lies there later may be anybody's."""
    data = json.dumps(result, allow_nan=False).encode("ascii")
    if len(data) > order["max_result_bytes"]:
        raise Refusal("result", "the result has %d bytes" % len(data), size_bytes=len(data))
    place = order["result_file"]
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(place + ".new", flags, 0o600), "wb") as file:
        file.write(data)
    os.rename(place + ".new", place)
    return {"sha256": sha256(data), "size_bytes": len(data)}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def add_endpoint(config, url):
    observability = config.setdefault("relay", {}).setdefault("observability", {})
    spans = observability.setdefault("opentelemetry", {})
    spans["enabled"] = True
    spans["endpoints"] = list(spans.get("endpoints") or []) + [{"type": "gen_ai", "endpoint": url}]


MAX_SPAN_BYTES = 64 * 1024 * 1024


class SpanReceiver:
    """Takes OTLP over HTTP on the loopback interface and writes it as lines of OTLP/JSON, up to a bound."""

    def __init__(self, path):
        import http.server
        import threading

        left = [MAX_SPAN_BYTES]
        lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                size = int(self.headers.get("content-length") or 0)
                if size > MAX_SPAN_BYTES:
                    self.send_error(413)
                    return
                try:
                    line = span_line(self.rfile.read(size), self.headers)
                except (ValueError, OSError):
                    self.send_error(400)
                    return
                with lock:
                    if len(line) <= left[0]:
                        left[0] -= len(line)
                        with open(path, "ab") as file:
                            file.write(line)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_args):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = "http://127.0.0.1:%d/v1/traces" % self._server.server_address[1]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()


def span_line(body, headers):
    if headers.get("content-encoding") == "gzip":
        import gzip

        body = gzip.decompress(body)
    if "json" in (headers.get("content-type") or ""):
        value = json.loads(body.decode("utf-8"))
    else:
        value = read_message(body, "ExportTraceServiceRequest")
    return (json.dumps(value) + "\n").encode("ascii")


# Of each message of OTLP's traces: field number to (JSON name, kind of value, is a list).
MESSAGES = {
    "ExportTraceServiceRequest": {1: ("resourceSpans", "ResourceSpans", True)},
    "ResourceSpans": {
        1: ("resource", "Resource", False),
        2: ("scopeSpans", "ScopeSpans", True),
        3: ("schemaUrl", "text", False),
    },
    "Resource": {
        1: ("attributes", "KeyValue", True),
        2: ("droppedAttributesCount", "number", False),
    },
    "ScopeSpans": {
        1: ("scope", "Scope", False),
        2: ("spans", "Span", True),
        3: ("schemaUrl", "text", False),
    },
    "Scope": {
        1: ("name", "text", False),
        2: ("version", "text", False),
        3: ("attributes", "KeyValue", True),
        4: ("droppedAttributesCount", "number", False),
    },
    "Span": {
        1: ("traceId", "hex", False),
        2: ("spanId", "hex", False),
        3: ("traceState", "text", False),
        4: ("parentSpanId", "hex", False),
        5: ("name", "text", False),
        6: ("kind", "number", False),
        7: ("startTimeUnixNano", "fixed64", False),
        8: ("endTimeUnixNano", "fixed64", False),
        9: ("attributes", "KeyValue", True),
        10: ("droppedAttributesCount", "number", False),
        11: ("events", "Event", True),
        12: ("droppedEventsCount", "number", False),
        13: ("links", "Link", True),
        14: ("droppedLinksCount", "number", False),
        15: ("status", "Status", False),
        16: ("flags", "fixed32", False),
    },
    "Event": {
        1: ("timeUnixNano", "fixed64", False),
        2: ("name", "text", False),
        3: ("attributes", "KeyValue", True),
        4: ("droppedAttributesCount", "number", False),
    },
    "Link": {
        1: ("traceId", "hex", False),
        2: ("spanId", "hex", False),
        3: ("traceState", "text", False),
        4: ("attributes", "KeyValue", True),
        5: ("droppedAttributesCount", "number", False),
        6: ("flags", "fixed32", False),
    },
    "Status": {2: ("message", "text", False), 3: ("code", "number", False)},
    "KeyValue": {1: ("key", "text", False), 2: ("value", "AnyValue", False)},
    "AnyValue": {
        1: ("stringValue", "text", False),
        2: ("boolValue", "bool", False),
        3: ("intValue", "int64", False),
        4: ("doubleValue", "double", False),
        5: ("arrayValue", "ArrayValue", False),
        6: ("kvlistValue", "KeyValueList", False),
        7: ("bytesValue", "base64", False),
    },
    "ArrayValue": {1: ("values", "AnyValue", True)},
    "KeyValueList": {1: ("values", "KeyValue", True)},
}
MAX_DEPTH = 64


def read_message(data, kind, depth=0):
    """One protobuf message as OTLP/JSON. Unknown fields are left out; what is no such message is a ValueError."""
    if depth > MAX_DEPTH:
        raise ValueError("nested too deeply")
    result = {}
    at = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        raw, at = read_raw(data, at, tag & 7)
        field = MESSAGES[kind].get(tag >> 3)
        if field is None:
            continue
        name, of, is_list = field
        value = read_value(raw, of, depth)
        if is_list:
            result.setdefault(name, []).append(value)
        else:
            result[name] = value
    return result


def read_varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise ValueError("a torn number")


def read_raw(data, at, wire):
    if wire == 0:
        return read_varint(data, at)
    if wire == 2:
        size, at = read_varint(data, at)
    else:
        size = {1: 8, 5: 4}.get(wire)
    if size is None or at + size > len(data):
        raise ValueError("a torn field")
    return data[at : at + size], at + size


def read_value(raw, of, depth):
    import base64
    import math
    import struct

    if isinstance(raw, int):
        if of == "bool":
            return raw != 0
        if of == "int64":
            return str(raw - (1 << 64) if raw >> 63 else raw)
        if of == "number":
            return raw
    elif of in MESSAGES:
        return read_message(raw, of, depth + 1)
    elif of == "text":
        return raw.decode("utf-8", "replace")
    elif of == "hex":
        return raw.hex()
    elif of == "base64":
        return base64.b64encode(raw).decode("ascii")
    elif of == "fixed64" and len(raw) == 8:
        return str(struct.unpack("<Q", raw)[0])
    elif of == "fixed32" and len(raw) == 4:
        return struct.unpack("<I", raw)[0]
    elif of == "double" and len(raw) == 8:
        number = struct.unpack("<d", raw)[0]
        return number if math.isfinite(number) else str(number)
    raise ValueError("a field of another kind")


if __name__ == "__main__":
    main()
