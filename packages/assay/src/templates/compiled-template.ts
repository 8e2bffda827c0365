import type { JsonObject, JsonValue } from "../support/json.ts";
import type { Path } from "./path.ts";

export interface CompiledTemplate {
  /** The paths it reads and needs, as far as they are written out. Empty for a constant. */
  readonly paths: readonly Path[];
  /** Nothing in it depends on the context. */
  readonly isConstant: boolean;
  /**
   * A template that is exactly one `{{ expression }}` gives the value itself, any other text.
   * Text of a template that uses `tojson` is read back as JSON.
   * Throws `ASSAY_TEMPLATE_UNDEFINED`, `ASSAY_TEMPLATE_INVALID`.
   */
  render(context: JsonObject): JsonValue;
  /** All that it reads lies below `item.task`, `item.inputs` or `item.reference`: it gives the same for every trial. */
  readonly isOfTask: boolean;
  /**
   * Throws, before there is a trial, what `render` is sure to throw for every trial of the task. `context` holds the
   * task alone.
   */
  checkTask(context: JsonObject): void;
  /** The same as text, with values written as Jinja2 writes them. */
  renderText(context: JsonObject): string;
}
