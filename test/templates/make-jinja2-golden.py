"""Makes jinja2-golden.json: what Jinja2 3.1.6 gives for each template below.

    python -m venv venv && venv/bin/pip install jinja2==3.1.6
    venv/bin/python test/templates/make-jinja2-golden.py > test/templates/jinja2-golden.json
    npx biome format --write test/templates/jinja2-golden.json

Rules around the engine, as the NeMo evaluator has them: a text that is exactly one `{{ expression }}` (one
opener, one closer, no statement) gives the native value; text of a template that uses `tojson` is read back as
JSON; objects and lists are rendered leaf by leaf; a value that does not exist is an error.
"""

import json
import sys

import jinja2
from jinja2.sandbox import SandboxedEnvironment

assert jinja2.__version__ == "3.1.6"
environment = SandboxedEnvironment(undefined=jinja2.StrictUndefined)

ITEM = {
    "task": {"id": "sum-1", "intent": "answers 5", "metadata": {"tier": 2}},
    "inputs": {"instruction": "Add 2 and 3", "n": 5, "ratio": 0.5, "big": 1234567890123, "k-y": "dash"},
    "reference": {
        "answer": "5", "number": 5, "is_exact": True, "nothing": None, "empty": "", "none_list": [],
        "words": ["alpha", "beta", "gamma"], "numbers": [3, 1, 2],
        "rows": [{"k": "a", "v": 1}, {"k": "b", "v": 2}], "nested": {"b": {"c": [1, {"d": "deep"}]}},
        "quote": "it's", "html": "<b>&</b>", "unicode": "naïve ☃ 😀", "lines": "one\ntwo",
    },
}
SAMPLE = {"agent_ok": True, "reward": 0.25, "output_text": "The answer is 5.", "response": {"choices": [{"message": {"content": "5"}}]}}
CONTEXT = {**ITEM, **SAMPLE, "item": ITEM, "sample": SAMPLE}

TEMPLATES = [
    # paths, native values
    "{{ item.reference.answer }}", "{{ reference.answer }}", "{{ output_text }}", "{{ sample.output_text }}",
    "{{ item.reference.number }}", "{{ item.inputs.ratio }}", "{{ item.inputs.big }}", "{{ item.reference.is_exact }}",
    "{{ item.reference.nothing }}", "{{ item.reference.empty }}", "{{ item.reference.none_list }}",
    "{{ item.reference.words }}", "{{ item.reference.nested }}", "{{ item.reference.rows }}",
    "{{ item['reference']['answer'] }}", "{{ item.inputs['k-y'] }}", "{{ item.reference.words[0] }}",
    "{{ item.reference.words[-1] }}", "{{ item.reference.nested.b.c[1].d }}", "{{ item.reference.answer[0] }}",
    "{{ item.reference.unicode[-1] }}", "  {{ item.reference.number }}  ", "\n{{ item.reference.number }}\n",
    "{{item.reference.number}}", "{{ response.choices[0].message.content }}",
    # text
    "", "plain", "plain\n", "two\n\n", "a\r\nb", "Answer: {{ item.reference.answer }}", "{{ item.reference.answer }}\n",
    "{{ item.reference.number }}{{ item.reference.number }}", "{{ item.reference.number }}.", "{{ item.inputs.ratio }}!",
    "v={{ item.reference.is_exact }}", "v={{ item.reference.nothing }}", "v={{ item.reference.words }}",
    "v={{ item.reference.rows[0] }}", "v={{ [item.reference.quote, item.reference.lines] }}", "v={{ item.reference.none_list }}",
    "{{ item.reference.unicode }} ok", "{ not a tag }", "}} {", "{{ '{{' }}", "{{ '}}' }} x", "{% raw %}{{ x }}{% endraw %}",
    "a{# comment {{ x }} #}b", "  {{- item.reference.answer -}}  ", "a {%- if true %} b {% endif -%} c",
    # undefined
    "{{ item.reference.missing }}", "{{ missing }}", "{{ item.missing.deeper }}", "{{ item.reference.missing | upper }}",
    "{{ item.reference.missing ~ 'x' }}", "{{ item.reference.missing == 1 }}", "{{ 1 == item.reference.missing }}",
    "{{ not item.reference.missing }}", "{{ item.reference.missing or 'x' }}", "{{ item.reference.missing + 1 }}",
    "{{ item.reference.missing | length }}", "{{ item.reference.missing | default('d') }}", "{{ missing | default('d') }}",
    "{{ item.reference.missing | d('d') | upper }}", "{{ item.missing.deeper | default('d') }}",
    "{{ item.reference.nothing | default('d') }}", "{{ item.reference.empty | default('d', true) }}",
    "{{ item.reference.missing is defined }}", "{{ missing is defined }}", "{{ missing is not defined }}",
    "{{ item.reference.missing is undefined }}", "{{ item.reference.answer is defined }}", "{{ item.missing.deeper is defined }}",
    "{{ item.reference.missing if item.reference.missing is defined else 'none' }}",
    "{% if item.reference.missing is defined %}{{ item.reference.missing | upper }}{% else %}none{% endif %}",
    "{% if item.reference.missing %}a{% else %}b{% endif %}", "{% for x in item.reference.missing %}{{ x }}{% endfor %}",
    "{% if false %}{{ item.reference.missing | upper }}{% endif %}ok", "{{ 'a' if true else item.reference.missing }}",
    "{{ true or item.reference.missing }}", "{{ false and item.reference.missing }}", "{{ 'x' if false }}", "t {{ 'x' if false }}",
    "{% for r in item.reference.rows %}{{ r.v | default(0) }}{{ r.w | default('-') }}{% endfor %}",
    "{% for r in item.reference.rows %}{{ r.missing | upper }}{% endfor %}", "{{ item.reference.words[7] }}",
    "{{ item.reference.words[7] is defined }}", "{{ item['reference'].missing | upper }}", "{{ (item.reference).missing | upper }}",
    "{{ item.reference[item.reference.empty] ~ '' }}", "{{ item.reference.words[item.reference.number] ~ '' }}",
    "{{ item.reference.words[item.reference.numbers[1]] }}", "{{ item.reference.missing is none }}",
    "{{ [item.reference.missing, 1] | length }}", "{% set x = item.reference.missing %}ok", "{{ (item.reference.missing) is defined }}",
    # sandbox
    "{{ item.__class__ }}", "{{ item.constructor }}", "{{ item.__proto__ }}", "{{ ''.__class__.__mro__ }}",
    "{{ item.reference.answer.__class__ | string }}", "{{ item.reference.words.length }}", "{{ constructor }}", "{{ toString }}",
    # operators
    "{{ 1 + 2 * 3 }}", "{{ 7 // 2 }}", "{{ 7 / 2 }}", "{{ 6 / 2 }}", "n {{ 6 / 2 }}", "{{ 2 ** 10 }}", "{{ 7 % 3 }}", "{{ -7 // 2 }}",
    "{{ 1 < 2 }}", "{{ 1 < 2 and 3 > 2 }}", "{{ 'a' in 'abc' }}", "{{ 'z' not in item.reference.words }}", "{{ 'a' ~ 1 ~ 'b' }}",
    "{{ 'a' 'b' }}", "{{ 'ab' * 2 }}", "{{ [1] + [2] }}", "{{ {'a': 1} }}", "{{ {'a': {'b': 1} } }}", "{{ (1, 2) }}", "{{ 0x10 }}", "{{ 1_000 }}",
    "{{ 'a' if item.reference.number > 3 else 'b' }}", "{{ none }}", "{{ None }}", "{{ True }}", "t {{ true }} {{ none }}", "{{ 1.5 }} {{ 2.0 }}",
    "{{ 1e3 }} {{ 1e20 }} {{ 0.00001 }}", "{{ item.reference.words[1:] }}", "{{ item.reference.words[::-1] }}", "{{ item.reference.answer == '5' }}",
    "{{ true ~ '' }}", "{{ item.reference.is_exact == 1 }}", "{{ -item.reference.number }}", "{{ item.reference.number is divisibleby 5 }}",
    "{{ item.reference.number is divisibleby(item.reference.number) }}",
    # filters, tests, methods
    "{{ item.reference.words | join(', ') }}", "{{ item.reference.words | first }}", "{{ item.reference.words | last }}", "{{ item.reference.numbers | sort }}",
    "{{ item.reference.numbers | sum }}", "{{ item.reference.numbers | max }}", "{{ item.reference.words | length }}", "{{ item.reference.words | map('upper') | list }}",
    "{{ item.reference.rows | map(attribute='k') | list }}", "{{ item.reference.rows | selectattr('v', 'equalto', 2) | map(attribute='k') | join }}",
    "{{ item.reference.rows | map(attribute='missing') | list | length }}", "{{ item.reference.words | reject('equalto', 'beta') | list }}",
    "{{ '  x ' | trim }}", "{{ 'hello world' | title }}", "{{ 'HELLO' | lower | capitalize }}", "{{ 'a-b' | replace('-', '+') }}", "{{ '3' | int + 1 }}",
    "{{ 'x' | int }}", "{{ 'x' | int(7) }}", "{{ '1.5' | float }}", "{{ 3.14159 | round(2) }}", "{{ 3.7 | round }}", "{{ -3 | abs }}", "{{ item.reference.html | e }}",
    "{{ item.reference.html }}", "{{ [3, 1] | sort | first }}", "{{ [1, 1, 2] | unique | list }}", "{{ item.reference.nested | tojson }}", "{{ item.reference.html | tojson }}",
    "{{ item.reference.words | tojson }}", '{"a": {{ item.reference.words | tojson }}, "b": {{ item.reference.number }}}', "x {{ item.reference.words | tojson }}",
    "{{ '%s-%d' | format('a', 2) }}", "{{ 'a b c' | wordcount }}", "{{ 'abcdefgh' | truncate(5) }}", "{{ item.reference.answer.upper() }}", "{{ 'a,b'.split(',') }}",
    "{{ ' x '.strip() }}", "{{ 'abc'.startswith('a') }}", "{{ '{}-{}'.format(1, 2) }}", "{{ item.reference.nested.keys() | list }}", "{{ item.inputs.get('n') }}",
    "{{ item.inputs.get('zz', 3) }}", "{{ item.reference.nested.items() | list | length }}", "{{ 'a' | upper | lower }}", "{{ item.reference.number is number }}",
    "{{ item.reference.answer is string }}", "{{ item.reference.nothing is none }}", "{{ item.reference is mapping }}", "{{ item.reference.words is sequence }}",
    "{{ 4 is even }}", "{{ 1 | nofilter }}", "{{ 1 is notest }}", "{{ nofunction(1) }}", "{{ range(3) | list }}", "{{ dict(a=1) }}", "{{ item.reference.words | batch(2) | list }}",
    "{{ 'a\\nb' }}", "{{ 'it\\'s' }}", "{{ item.reference.lines | indent(2) }}", "{{ 'x' | center(5) }}", "{{ 1234567 | string }}", "{{ item.reference.is_exact | string }}",
    "{{ item.reference.rows | tojson | length }}", "{{ item.inputs | dictsort | first | first }}", "{{ 'a' | default('b') }}", "{{ item.reference.words | join }}",
    "{{ 2.5 | round }}", "{{ missing | default(default_value='b') }}", "{{ item.reference.empty | default('b', boolean=true) }}", "{{ 3.14159 | round(precision=2) }}",
    "{{ item.reference.words | sort(reverse=true) }}", "{{ item.reference.rows | sum(attribute='v') }}", "{{ item.reference.rows | groupby('k') | length }}",
    "{{ item.reference.rows | map(attribute='w', default=5) | list }}", "{{ ['b', 'A'] | sort | join }}", "{{ {'b': 1, 'a': 2} | dictsort(by='value') | first | first }}",
    "{{ [1, 2, 3] | slice(2) | list }}", "{{ 'abc' | reverse }}", "{{ '1.9' | int }}", "{{ 'a b c'.split(maxsplit=1) }}", "{{ 'x' | urlencode }}",
    # statements
    "{% for k in item.inputs %}{{ k }} {% endfor %}", "{% for key, value in item.reference.rows[0] | dictsort %}{{ key }}={{ value }};{% endfor %}",
    "{% for w in item.reference.words %}{{ loop.index }}:{{ w }}{% if not loop.last %},{% endif %}{% endfor %}", "{% for w in [] %}{{ w }}{% else %}empty{% endfor %}",
    "{% for k, v in item.reference.nested.items() %}{{ k }}{% endfor %}", "{% for w in item.reference.words if w != 'beta' %}{{ w }} {% endfor %}",
    "{% set x = item.reference.number + 1 %}{{ x }}", "{% set x %}a{{ item.reference.answer }}{% endset %}{{ x | upper }}", "{% with y = item.reference.answer %}{{ y }}{% endwith %}",
    "{% set ns = namespace(n=0) %}{% for i in item.reference.numbers %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}",
    "{% macro tag(name, value=item.reference.answer) %}<{{ name }}={{ value }}>{% endmacro %}{{ tag('a') }}{{ tag('b', value=2) }}",
    "{% macro wrap() %}[{{ caller() }}]{% endmacro %}{% call wrap() %}in{% endcall %}", "{% filter upper %}a{{ item.reference.words[0] }}{% endfilter %}",
    "{% if item.reference.number > 3 %}big{% elif item.reference.number > 1 %}mid{% else %}small{% endif %}", "{% if item.reference.words %}yes{% endif %}",
    "{% for w in item.reference.words %}\n{{ w }}\n{% endfor %}", "{% include 'other' %}", "{% extends 'other' %}", "{% break %}",
    "{% for a in item.reference.numbers %}{% for b in item.reference.numbers %}{{ a * b }} {% endfor %}{% endfor %}",
    # syntax
    "{{ item.reference.answer", "{{ }}", "{{ item. }}", "{% if x %}", "{{ 1 + }}", "{{ 'abc }}", "{{ item.reference.answer }} {% endif %}", "{# open",
    "{{ item.reference.words.0 }}", "{{ item.reference.unicode | length }}", "{{ a b }}",
    # objects and lists
    {"prompt": "{{ item.inputs.instruction }}", "n": 3, "deep": [True, None, "{{ item.reference.number }}", {"t": "v={{ item.reference.number }}"}]},
    ["{{ item.reference.words }}", "x", 1.5], {}, [], 7, True, None,
    {"a": "{{ item.reference.missing }}"},
]


def render(template):
    if isinstance(template, dict):
        return {key: render(value) for key, value in template.items()}
    if isinstance(template, list):
        return [render(value) for value in template]
    if not isinstance(template, str):
        return template
    text = template.strip()
    one = text.startswith("{{") and text.endswith("}}") and text.count("{{") == 1 and text.count("}}") == 1
    if one and "{%" not in text:
        value = environment.compile_expression(text[2:-2], undefined_to_none=False)(**CONTEXT)
        if isinstance(value, jinja2.Undefined):
            raise jinja2.UndefinedError("undefined")
    else:
        value = environment.from_string(template).render(**CONTEXT)
    if "tojson" in template and isinstance(value, str):
        value = json.loads(value)
    return json.loads(json.dumps(value))


def outcome(template):
    try:
        return {"output": render(template)}
    except jinja2.UndefinedError:
        return {"error": "undefined"}
    except (jinja2.TemplateSyntaxError, jinja2.TemplateAssertionError):
        return {"error": "invalid"}
    except Exception as error:
        return {"error": type(error).__name__}


json.dump(
    {
        "made_with": "Jinja2 3.1.6 SandboxedEnvironment(undefined=StrictUndefined), by make-jinja2-golden.py",
        "context": CONTEXT,
        "cases": [{"template": template, **outcome(template)} for template in TEMPLATES],
    },
    sys.stdout,
    ensure_ascii=False,
    indent=1,
)
print()
