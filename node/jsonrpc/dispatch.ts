/**
 * Dispatches JSON-RPC messages: the text of a message in, the text of its answer out. An `Endpoint` is one
 * listener's view of the methods, with budgets that all listeners share. Synchronous answers return at once,
 * so that the transport writes them in the same turn of the event loop: this is the hot path of the node.
 */
import type { FairTime } from "../runtime/fair-time.ts";
import { type Pause, Slice } from "../runtime/scheduler.ts";
import { callerTurns } from "../runtime/turn-queue.ts";
import { answerError, BatchAnswer, tooLarge } from "./batch-answer.ts";
import { type BatchPrefetch, batchPrefetch } from "./batch-prefetch.ts";
import { type CallOutcome, type DispatchBudget, outcomeOf, UNKNOWN_METHOD } from "./dispatch-budget.ts";
import {
  type Envelope,
  LongBatch,
  type MessageList,
  messageMemory,
  type RpcMessage,
  readEnvelope,
} from "./envelope.ts";
import { type BugListener, errorJson, errorOf, RpcError, rpcCode } from "./errors.ts";
import { goEscape } from "./json-text.ts";
import type { Holder, MemoryBudget } from "./memory-budget.ts";
import type { CallContext, Method } from "./method.ts";
import type { ReaderPool } from "./reader-pool.ts";
import type { MethodView } from "./registry.ts";
import { type MessageSubscriptions, subscribe, subscriptionCall, unsubscribe } from "./subscriptions.ts";

/** The connection of a message, as far as the message may use it. */
export interface RpcSession {
  readonly signal: AbortSignal;
  /** Undefined over HTTP, which has no notifications. */
  readonly subscriptions: MessageSubscriptions | undefined;
  /** The connection, to which the memory of its messages is charged; the same object for all of them. */
  readonly caller: Holder;
}

/** Options of an endpoint. */
export interface EndpointOptions {
  readonly view: MethodView;
  readonly budget: DispatchBudget;
  readonly onBug: BugListener;
  /** The pool for methods with `runs: "reader"`; without one they run on the main thread. */
  readonly readers?: ReaderPool | undefined;
}

/** Answers messages of one listener. */
export interface RpcEndpoint {
  readonly view: MethodView;
  /** The budget in which transports count unsent bytes. */
  readonly unsent: MemoryBudget;
  /** The time in which transports have messages answered; each connection opens an account. */
  readonly time: FairTime;
  /**
   * Answers the first JSON value of `text`; undefined, at once or later, when that is not JSON. Neither throws nor
   * rejects.
   */
  answer(text: string, session: RpcSession): TextAnswer;
  /** Same as `answer`, for a transport that can write bytes between texts. */
  answerInParts(text: string, session: RpcSession): TextAnswer | LongAnswer;
  /** Makes every later answer empty. */
  retire(): void;
}

const INVALID = `{"code":${rpcCode.invalidRequest},"message":"invalid request"}`;
const EMPTY_BATCH = nullError(rpcCode.invalidRequest, "empty batch");
const OVERLOADED = nullError(rpcCode.invalidRequest, "server requests exceed the limit");
const manyCalls = new RpcError(
  rpcCode.limitExceeded,
  "the calls under way fill their share of the memory: try again later",
);
const MANY_CALLS = `${answerError("null", errorJson(manyCalls))}\n`;
const aboveRate = new RpcError(
  rpcCode.limitExceeded,
  "too many calls of this address: try again in a second",
  undefined,
  "too-many-calls",
);
const INTERNAL_ERROR = nullError(rpcCode.internal, "internal error");
/** The answer of HTTP to a body that is not JSON. */
export const PARSE_ERROR = nullError(rpcCode.parse, "parse error");
/** Characters of a batch entry's answer after which the clock is read. */
const LONG_PART = 16_384;

/** Returns a whole answer that is an error without an id. */
export function nullError(code: number, message: string): string {
  return `${answerError("null", `{"code":${code},"message":${goEscape(JSON.stringify(message))}}`)}\n`;
}

/** Creates an endpoint. */
export function createEndpoint(options: EndpointOptions): RpcEndpoint {
  return new Dispatcher(options);
}

class Dispatcher implements RpcEndpoint {
  readonly view: MethodView;
  readonly unsent: MemoryBudget;
  readonly time: FairTime;
  readonly #budget: DispatchBudget;
  readonly #onBug: BugListener;
  readonly #readers: ReaderPool | undefined;
  #isRetired = false;

  constructor({ view, budget, onBug, readers }: EndpointOptions) {
    this.view = view;
    this.unsent = budget.unsent;
    this.time = budget.time;
    this.#budget = budget;
    this.#onBug = onBug;
    this.#readers = readers;
  }

  retire(): void {
    this.#isRetired = true;
  }

  answer(text: string, session: RpcSession): TextAnswer {
    return this.#answerWith(inText, text, session) as TextAnswer; // for there are no parts
  }

  answerInParts(text: string, session: RpcSession): TextAnswer | LongAnswer {
    return this.#answerWith(this.#inParts, text, session);
  }

  readonly #inParts: Wrap = (id, result) => {
    const bytes = this.#budget.byteCache.get(result);
    return bytes === undefined ? inText(id, result) : { head: answerHead(id), bytes, tail: "}\n" };
  };

  #answerWith(wrap: Wrap, text: string, session: RpcSession): TextAnswer | LongAnswer {
    if (this.#isRetired) return "";
    try {
      const envelope = readEnvelope(text);
      if (envelope === undefined) return undefined;
      if (envelope === "empty") return "";
      if (envelope instanceof LongBatch) return this.#track(this.#longBatch(envelope, text, session));
      if (this.#isOverloaded(envelope)) return OVERLOADED;
      if (envelope.isBatch) return this.#batch(envelope, { text, session, charge: undefined });
      const [message] = envelope.messages;
      if (message === undefined) return "";
      const answer = this.#one(message, session, wrap);
      if (typeof answer === "string") return answer === "" ? "" : `${answer}\n`;
      if (!(answer instanceof Promise)) return answer;
      return this.#track(answer.then((late) => (late === "" ? "" : `${late}\n`)));
    } catch (error) {
      return this.#defect(error);
    }
  }

  /** Reports a defect of the dispatcher itself; errors of methods are handled by `#fail`. */
  #defect(error: unknown): string {
    this.#onBug(error);
    return INTERNAL_ERROR;
  }

  #isOverloaded({ messages }: Envelope): boolean {
    return this.#budget.pending + messages.length > this.#budget.maxPending;
  }

  /** Begins the first slice of a batch, shorter while other long work waits. */
  #batchSlice(): Slice {
    return new Slice(callerTurns.isContended ? "contendedBatch" : "batch");
  }

  /** Returns the pause of a batch: once its slice is over it waits for its turn among the long work of all clients. */
  #pauseOf(slice: Slice, { caller }: RpcSession): Pause {
    return () => (slice.isOver ? callerTurns.next(caller).then(() => slice.restart()) : undefined);
  }

  /** Reads a batch in pieces, in turn with other long work, and answers it. */
  async #longBatch(long: LongBatch, text: string, session: RpcSession): Promise<string | undefined> {
    using charge = this.#charge(long.memory, session);
    if (charge === undefined) return MANY_CALLS;
    const pause = this.#pauseOf(this.#batchSlice(), session);
    for (;;) {
      const envelope = long.readOn();
      if (envelope === undefined) return undefined;
      if (envelope !== "unfinished")
        return this.#isOverloaded(envelope)
          ? OVERLOADED
          : await this.#batch(envelope, { text, session, charge });
      const due = pause();
      if (due === undefined) continue;
      await due;
      if (session.signal.aborted) return "";
    }
  }

  #batch({ messages }: Envelope, terms: Pick<Batch, "text" | "session" | "charge">): RpcAnswer {
    if (messages.length === 0) return EMPTY_BATCH;
    const { maxBatch } = this.#budget;
    if (maxBatch > 0 && messages.length > maxBatch)
      return nullError(rpcCode.invalidRequest, `a batch has at most ${maxBatch} calls`);
    const batch: Batch = { ...terms, messages, parts: new BatchAnswer(this.#budget) };
    const prefetch = batchPrefetch(messages, this.view);
    if (prefetch !== undefined) return this.#track(this.#answerPrepared(batch, prefetch));
    return this.#beginBatch(batch);
  }

  /** Answers entries in this turn of the event loop: all of them, or what one slice is enough for. */
  #beginBatch(batch: Batch): RpcAnswer {
    const { messages, session } = batch;
    const slice = this.#batchSlice();
    for (let index = 0; index < messages.length && !batch.parts.isOver; index++) {
      const message = messages.at(index) as RpcMessage; // within the length
      const part = this.#partOf(message, batch);
      if (typeof part !== "string") return this.#track(this.#restOfBatch(batch, index, part));
      batch.parts.add(part, message);
      const isDue = (index & 15) === 15 || part.length > LONG_PART;
      if (isDue && slice.isOver) {
        return this.#track(this.#restOfBatch(batch, index + 1, callerTurns.next(session.caller)));
      }
    }
    return finish(batch);
  }

  /** Answers an entry, or refuses it and returns an empty part. */
  #partOf(message: RpcMessage, { parts, session }: Batch): RpcAnswer {
    const why = parts.fullness;
    if (why === undefined) return this.#one(message, session, inText) as RpcAnswer; // for there are no parts
    parts.refuse(message, why);
    return "";
  }

  async #answerPrepared(batch: Batch, prefetch: BatchPrefetch): Promise<string> {
    try {
      const pause = this.#pauseOf(this.#batchSlice(), batch.session);
      return await this.#restOfBatch(batch, 0, prefetch.prepare(pause));
    } finally {
      prefetch.forget();
    }
  }

  /**
   * Continues a batch, one entry after the other. `first` is the answer of entry `from`, or a pause before
   * it. A batch for whose calls there is no memory gets that answer and refusals.
   */
  async #restOfBatch(batch: Batch, from: number, first: Promise<string | undefined>): Promise<string> {
    const { messages, session } = batch;
    using parts = batch.parts;
    using own = batch.charge === undefined ? this.#charge(messageMemory(batch.text), session) : undefined;
    const charge = batch.charge ?? own;
    const early = await first;
    let next = from;
    if (early !== undefined) parts.add(early, messages.at(next++));
    const pause = this.#pauseOf(new Slice("batch"), session);
    for (; next < messages.length && !parts.isOver; next++) {
      const message = messages.at(next) as RpcMessage; // within the length
      if (charge === undefined) parts.refuse(message, manyCalls);
      else parts.add(await this.#partOf(message, batch), message);
      if (session.signal.aborted) return "";
      const due = pause();
      if (due !== undefined) await due;
    }
    return parts.text();
  }

  /** Charges a message to its connection until the result is disposed of; undefined when there is no room. */
  #charge(bytes: number, { caller }: RpcSession): Disposable | undefined {
    const { calls } = this.#budget;
    if (!calls.claim(caller, calls.of(caller) + bytes)) return undefined;
    return { [Symbol.dispose]: () => calls.hold(caller, Math.max(0, calls.of(caller) - bytes)) };
  }

  async #track<Answer>(answer: Promise<Answer>): Promise<Answer | string> {
    this.#budget.pending++;
    try {
      return await answer;
    } catch (error) {
      return this.#defect(error);
    } finally {
      this.#budget.pending--;
    }
  }

  #one(message: RpcMessage, session: RpcSession, wrap: Wrap): RpcAnswer | LongAnswer {
    const { id, method, params } = message;
    const hasId = id !== undefined && !id.startsWith("{") && !id.startsWith("[");
    if (method !== "" && (hasId || id === undefined)) {
      if (id === undefined) return this.#notification(message, session);
      return this.#call(goEscape(id), message, { session, wrap });
    }
    if (hasId && params === undefined && method === "" && message.answers) return "";
    return answerError(hasId ? goEscape(id) : "null", INVALID);
  }

  #notification(message: RpcMessage, session: RpcSession): RpcAnswer {
    if (message.method.endsWith("_subscription")) return "";
    const answer = this.#call("null", message, { session, wrap: inText });
    return answer instanceof Promise ? answer.then(() => "") : "";
  }

  #call(
    id: string,
    message: RpcMessage,
    { session, wrap }: { session: RpcSession; wrap: Wrap },
  ): RpcAnswer | LongAnswer {
    this.#budget.total++;
    const method = this.view.find(message.method);
    const call = { method, name: message.method, started: performance.now() };
    try {
      const result = this.#result(method, message, session);
      if (typeof result === "string") return this.#succeed(id, call, { result, wrap });
      return result.then(
        (late) => this.#succeed(id, call, { result: late, wrap: inText }) as string, // for there are no parts
        (error: unknown) => this.#fail(id, call, error),
      );
    } catch (error) {
      return this.#fail(id, call, error);
    }
  }

  #succeed(id: string, call: Call, { result, wrap }: { result: string; wrap: Wrap }): string | LongAnswer {
    if (result.length > this.#budget.maxAnswer) return this.#fail(id, call, tooLarge);
    this.#report(call, "ok");
    return wrap(id, result);
  }

  #fail(id: string, call: Call, error: unknown): string {
    this.#budget.errors++;
    const known = errorOf(error, this.#onBug);
    this.#report(call, outcomeOf(known));
    return answerError(id, errorJson(known));
  }

  #report({ method, name, started }: Call, outcome: CallOutcome): void {
    const label = method?.name ?? subscriptionCall(name) ?? UNKNOWN_METHOD;
    this.#budget.onCall(label, outcome, performance.now() - started);
  }

  #result(method: Method | undefined, message: RpcMessage, session: RpcSession): RpcAnswer {
    const client = session.caller.owner;
    if (client !== undefined && !this.#budget.isWithinRate(client)) throw aboveRate;
    if (method === undefined) return manageSubscription(message, session);
    if (method.runs === "reader" && this.#readers !== undefined) {
      const early = method.inline?.(message.params);
      if (early !== undefined) return early;
      return this.#readers.call(method.name, message.paramsText, {
        signal: session.signal,
        caller: session.caller,
        expires: method.expires,
        runsOnce: method.privilege === "files",
      });
    }
    const { modules, document } = this.view;
    const { signal, caller } = session;
    const room = { budget: this.#budget, holder: caller };
    const context: CallContext = { signal, caller, room, modules, document };
    return method.invoke(message.params, context);
  }
}

/** Subscribes or unsubscribes. Throws for a method that does not exist. */
function manageSubscription(message: RpcMessage, session: RpcSession): RpcAnswer {
  const kind = subscriptionCall(message.method);
  if (kind === "subscribe") return subscribe(message, session);
  if (kind === "unsubscribe") return unsubscribe(message, session);
  throw new RpcError(rpcCode.noMethod, `the method ${message.method} does not exist/is not available`);
}

/** Returns the text of a finished batch and releases what it held. */
function finish({ parts }: Batch): string {
  using answer = parts;
  return answer.text();
}

/** One call under way. Its message is not kept: parameters are released once the method has them. */
interface Call {
  readonly method: Method | undefined;
  /** As the caller wrote it. */
  readonly name: string;
  /** Time by `performance.now`. */
  readonly started: number;
}

interface Batch {
  readonly messages: MessageList;
  readonly text: string;
  readonly session: RpcSession;
  readonly parts: BatchAnswer;
  /** Memory of a long batch, while it is answered; that of a short one is charged once it has to wait. */
  readonly charge: Disposable | undefined;
}

/** An answer, at once or later. An empty one is not sent. */
type RpcAnswer = string | Promise<string>;

/** The answer to a text, at once or later; undefined when the text is not JSON. */
type TextAnswer = string | Promise<string | undefined> | undefined;

/** An answer whose middle comes from the byte cache. */
export interface LongAnswer {
  readonly head: string;
  readonly bytes: Buffer;
  readonly tail: string;
}

/** Builds an answer from the JSON text of an id and that of a result. */
type Wrap = (id: string, result: string) => string | LongAnswer;

/** Returns the beginning of an answer, up to its result. */
function answerHead(id: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":`;
}

/** Returns an answer as one text. */
function inText(id: string, result: string): string {
  return `${answerHead(id)}${result}}`;
}
