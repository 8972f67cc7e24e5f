/**
 * The text of a message in, the text of its answer out. An `Endpoint` is what one listener answers with: the methods
 * it serves, the budgets it shares with the others. Answers that need no waiting come back at once, so that a
 * transport can write them without a turn of the event loop; that is the hot path of the whole node.
 */

import { Slice } from "../runtime/scheduler.ts";
import { type Answer, answerHead, inText, type LongAnswer, type Wrap } from "./answers.ts";
import { answerError, BatchAnswer, refusal, tooLarge } from "./batch-answer.ts";
import { type BatchAhead, batchAhead } from "./batch-prefetch.ts";
import { type CallOutcome, outcomeOf, UNKNOWN_METHOD } from "./call-outcomes.ts";
import type { DispatchBudget } from "./dispatch-budget.ts";
import { type Envelope, type Message, readEnvelope } from "./envelope.ts";
import { type BugListener, errorJson, errorOf, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";
import type { ByteShares } from "./memory-budget.ts";
import type { CallContext, Method } from "./method.ts";
import type { ReaderPool } from "./reader-pool.ts";
import type { MethodView } from "./registry.ts";
import { subscribe, subscriptionCall, unsubscribe } from "./subscription-calls.ts";
import type { Turn } from "./subscriptions.ts";

/** The connection a message came over, as that message sees it. */
export interface Session {
  readonly signal: AbortSignal;
  /** Undefined where nothing can be pushed: HTTP. */
  readonly subscriptions: Turn | undefined;
}

/** What an endpoint is made of. */
export interface EndpointOptions {
  readonly view: MethodView;
  readonly budget: DispatchBudget;
  readonly onBug: BugListener;
  /** Where methods with `runs: "reader"` go; without one they run here. */
  readonly readers?: ReaderPool | undefined;
}

/** Answers messages; made by `createEndpoint`. */
export interface Endpoint {
  readonly view: MethodView;
  /** Where transports say what waits for their peers. */
  readonly unsent: ByteShares;
  /** Answers the first JSON value of `text`; undefined when that is not JSON. Neither throws nor rejects. */
  answer(text: string, session: Session): Answer | undefined;
  /** The same for a transport that writes bytes as well as text. */
  answerInParts(text: string, session: Session): Answer | LongAnswer | undefined;
  /** From now on every answer is empty. */
  retire(): void;
}

const INVALID = `{"code":${rpcCode.invalidRequest},"message":"invalid request"}`;
const EMPTY_BATCH = nullError(rpcCode.invalidRequest, "empty batch");
const OVERLOADED = nullError(rpcCode.invalidRequest, "server requests exceed the limit");
const INTERNAL_ERROR = nullError(rpcCode.internal, "internal error");
/** What HTTP answers to a body that is not JSON. */
export const PARSE_ERROR = nullError(rpcCode.parse, "parse error");
/** An answer of this many characters took so long that the time is looked at. */
const LONG_PART = 16_384;

/** A whole message that reports an error without an id. */
export function nullError(code: number, message: string): string {
  return `${answerError("null", `{"code":${code},"message":${goEscape(JSON.stringify(message))}}`)}\n`;
}

/** Makes an endpoint; see `EndpointOptions`. */
export function createEndpoint(options: EndpointOptions): Endpoint {
  return new Dispatcher(options);
}

class Dispatcher implements Endpoint {
  readonly view: MethodView;
  readonly unsent: ByteShares;
  readonly #budget: DispatchBudget;
  readonly #onBug: BugListener;
  readonly #readers: ReaderPool | undefined;
  #isRetired = false;

  constructor({ view, budget, onBug, readers }: EndpointOptions) {
    this.view = view;
    this.unsent = budget.unsent;
    this.#budget = budget;
    this.#onBug = onBug;
    this.#readers = readers;
  }

  retire(): void {
    this.#isRetired = true;
  }

  answer(text: string, session: Session): Answer | undefined {
    return this.#answerWith(inText, text, session) as Answer | undefined; // for there are no parts
  }

  answerInParts(text: string, session: Session): Answer | LongAnswer | undefined {
    return this.#answerWith(this.#inParts, text, session);
  }

  readonly #inParts: Wrap = (id, result) => {
    const bytes = this.#budget.kept.of(result);
    return bytes === undefined ? inText(id, result) : { head: answerHead(id), bytes, tail: "}\n" };
  };

  #answerWith(wrap: Wrap, text: string, session: Session): Answer | LongAnswer | undefined {
    if (this.#isRetired) return "";
    try {
      return this.#answer(wrap, text, session);
    } catch (error) {
      return this.#defect(error);
    }
  }

  /** Errors of methods never come here: this one is a defect of the machinery itself. */
  #defect(error: unknown): string {
    this.#onBug(error);
    return INTERNAL_ERROR;
  }

  #answer(wrap: Wrap, text: string, session: Session): Answer | LongAnswer | undefined {
    const envelope = readEnvelope(text);
    if (envelope === undefined) return undefined;
    if (envelope === "empty") return "";
    if (this.#budget.pending + envelope.messages.length > this.#budget.maxPending) return OVERLOADED;
    if (envelope.isBatch) return this.#batch(envelope, session);
    const [message] = envelope.messages;
    if (message === undefined) return "";
    const answer = this.#one(message, session, wrap);
    if (typeof answer === "string") return answer === "" ? "" : `${answer}\n`;
    if (!(answer instanceof Promise)) return answer;
    return this.#counted(answer.then((late) => (late === "" ? "" : `${late}\n`)));
  }

  #batch({ messages }: Envelope, session: Session): Answer {
    if (messages.length === 0) return EMPTY_BATCH;
    const parts = new BatchAnswer(this.#budget);
    const ahead = batchAhead(messages, this.view);
    if (ahead !== undefined) return this.#counted(this.#prepared({ messages, session, parts }, ahead));
    const { turns } = this.#budget;
    const slice = new Slice(turns.isContended ? "contendedBatch" : "batch");
    for (let index = 0; index < messages.length; index++) {
      const message = messages[index] as Message; // within the length
      const why = parts.fullness;
      const part = why === undefined ? this.#entry(message, session) : refusal(message, why);
      if (typeof part !== "string")
        return this.#counted(this.#restOfBatch({ messages, session, parts }, index, part));
      parts.add(part, message);
      const isDue = (index & 15) === 15 || part.length > LONG_PART;
      if (isDue && slice.isOver) {
        return this.#counted(this.#restOfBatch({ messages, session, parts }, index + 1, turns.next()));
      }
    }
    return ended(parts);
  }

  async #prepared(batch: Batch, ahead: BatchAhead): Promise<string> {
    try {
      return await this.#restOfBatch(batch, 0, ahead.prepare());
    } finally {
      ahead.forget();
    }
  }

  /** Goes on with a batch, one entry after the other; `first` is the answer of entry `from`, or a pause before it. */
  async #restOfBatch(batch: Batch, from: number, first: Promise<string | undefined>): Promise<string> {
    const { messages, session } = batch;
    using parts = batch.parts;
    const early = await first;
    let next = from;
    if (early !== undefined) parts.add(early, messages[next++]);
    const slice = new Slice("batch");
    for (; next < messages.length; next++) {
      const message = messages[next] as Message; // within the length
      const why = parts.fullness;
      parts.add(why === undefined ? await this.#entry(message, session) : refusal(message, why), message);
      if (session.signal.aborted) return "";
      if (!slice.isOver) continue;
      await this.#budget.turns.next();
      slice.restart();
    }
    return parts.text();
  }

  async #counted(answer: Promise<string>): Promise<string> {
    this.#budget.pending++;
    try {
      return await answer;
    } catch (error) {
      return this.#defect(error);
    } finally {
      this.#budget.pending--;
    }
  }

  /** An entry of a batch. */
  #entry(message: Message, session: Session): Answer {
    return this.#one(message, session, inText) as Answer; // for there are no parts
  }

  #one(message: Message, session: Session, wrap: Wrap): Answer | LongAnswer {
    const { id, method, params } = message;
    const hasId = id !== undefined && !id.startsWith("{") && !id.startsWith("[");
    if (method !== "" && (hasId || id === undefined)) {
      if (id === undefined) return this.#notification(message, session);
      return this.#call(goEscape(id), message, { session, wrap });
    }
    if (hasId && params === undefined && method === "" && message.answers) return "";
    return answerError(hasId ? goEscape(id) : "null", INVALID);
  }

  #notification(message: Message, session: Session): Answer {
    if (message.method.endsWith("_subscription")) return "";
    const answer = this.#call("null", message, { session, wrap: inText });
    return answer instanceof Promise ? answer.then(() => "") : "";
  }

  #call(
    id: string,
    message: Message,
    { session, wrap }: { session: Session; wrap: Wrap },
  ): Answer | LongAnswer {
    this.#budget.total++;
    const call = { method: this.view.find(message.method), message, started: performance.now() };
    try {
      const result = this.#result(call, session);
      if (typeof result === "string") return this.#answered(id, call, { result, wrap });
      return result.then(
        (late) => this.#answered(id, call, { result: late, wrap: inText }) as string, // for there are no parts
        (error: unknown) => this.#failed(id, call, error),
      );
    } catch (error) {
      return this.#failed(id, call, error);
    }
  }

  #answered(id: string, call: Call, { result, wrap }: { result: string; wrap: Wrap }): string | LongAnswer {
    if (result.length > this.#budget.maxAnswer) return this.#failed(id, call, tooLarge);
    this.#told(call, "ok");
    return wrap(id, result);
  }

  #failed(id: string, call: Call, error: unknown): string {
    this.#budget.errors++;
    const known = errorOf(error, this.#onBug);
    this.#told(call, outcomeOf(known));
    return answerError(id, errorJson(known));
  }

  #told({ method, message, started }: Call, outcome: CallOutcome): void {
    const name = method?.name ?? subscriptionCall(message.method) ?? UNKNOWN_METHOD;
    this.#budget.onCall(name, outcome, performance.now() - started);
  }

  #result({ method, message }: Call, session: Session): Answer {
    if (method !== undefined) return this.#run(method, message, session);
    const kind = subscriptionCall(message.method);
    if (kind === "subscribe") return subscribe(message, session);
    if (kind === "unsubscribe") return unsubscribe(message, session);
    throw new RpcError(rpcCode.noMethod, `the method ${message.method} does not exist/is not available`);
  }

  #run(method: Method, message: Message, session: Session): Answer {
    if (method.runs === "reader" && this.#readers !== undefined) {
      const brief = method.brief?.(message.params);
      if (brief !== undefined) return brief;
      return this.#readers.call(method.name, message.paramsText, {
        signal: session.signal,
        expires: method.expires,
      });
    }
    const { modules, document } = this.view;
    const context: CallContext = { signal: session.signal, modules, document };
    return method.invoke(message.params, context);
  }
}

/** The text of an answer that is whole. */
function ended(answer: BatchAnswer): string {
  using parts = answer;
  return parts.text();
}

/** One call under way. */
interface Call {
  readonly method: Method | undefined;
  readonly message: Message;
  /** As `performance.now` tells it. */
  readonly started: number;
}

interface Batch {
  readonly messages: readonly Message[];
  readonly session: Session;
  readonly parts: BatchAnswer;
}
