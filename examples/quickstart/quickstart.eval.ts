import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { callable } from "assay/runners";

const sums = [
  { a: 2, b: 3 },
  { a: 20, b: 22 },
  { a: -1, b: 1 },
];

export default defineSuite({
  name: "quickstart",
  tasks: sums.map(({ a, b }, index) => ({
    id: `sum-${index + 1}`,
    intent: `answers ${a + b}`,
    inputs: { instruction: `Add ${a} and ${b}. Answer with the number alone.` },
    reference: { answer: String(a + b) },
  })),
  metrics: [exactMatch({ reference: "{{ item.reference.answer }}" })],
  target: callable({
    name: "adder",
    // Put your agent here. This one cannot read negative numbers, so a task fails.
    agent: ({ inputs }) => {
      const numbers = inputs.instruction.match(/\d+/g) ?? [];
      return String(numbers.reduce((sum, number) => sum + Number(number), 0));
    },
  }),
  trials: 2,
  labels: { example: "quickstart" },
});
