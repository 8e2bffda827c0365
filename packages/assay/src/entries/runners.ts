export {
  type CallableContext,
  type CallableOptions,
  type CallableReply,
  callable,
} from "../runners/callable/index.ts";
