import type { MetricLike } from "../contracts/metric.ts";
import type { Target } from "../contracts/target.ts";
import type { TrialRecordInput } from "../schema/trial.ts";
import type { RunOptions } from "./api.ts";
import type { SecretDefinition, TaskSource } from "./suite/suite.ts";

/** What to evaluate, given by a program. */
export interface EvaluationRequest<I> {
  readonly tasks: TaskSource<I>;
  /** What is evaluated. Exactly one of `target` and `trials`. */
  readonly target?: Target<NoInfer<I>>;
  /** Trials that exist already and are only scored. */
  readonly trials?: readonly TrialRecordInput[];
  /** Added to every task that declares none of that type. */
  readonly metrics?: readonly MetricLike[];
  readonly config?: EvaluationConfig;
}

export interface EvaluationConfig extends Omit<RunOptions, "taskIds" | "limit" | "invocation"> {
  /** Name of the suite; functions are recorded as `<name>#<function>`. Default `suite`. */
  readonly name?: string;
  readonly secrets?: readonly (string | SecretDefinition)[];
  /** Relative paths start here. Default: the working directory. */
  readonly baseDir?: string;
}
