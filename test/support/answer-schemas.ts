/** Judges answers and notifications by their JSON schemas: in tests each keeps to its own. */
import { Ajv2019, type ValidateFunction } from "ajv/dist/2019.js";
import type { Method } from "../../node/jsonrpc/method.ts";
import { referencedSchemas, type Schema } from "../../node/jsonrpc/schemas.ts";
import type { Subscription } from "../../node/jsonrpc/subscription.ts";

const ajv = new Ajv2019({ strict: false, validateFormats: false, code: { optimize: false } });
const validators = new WeakMap<Schema, ValidateFunction>();
/** Validators by the text of the schema: every node that is opened has schemas of its own, which are equal. */
const compiled = new Map<string, ValidateFunction>();

/**
 * Returns what is wrong with a value by a schema, with the place; nothing for one that keeps to it. The named schemas are
 * those of the sources, or of the document that has the schema.
 */
export function schemaFaults(schema: Schema, value: unknown, named?: Schema): string[] {
  const validate = validators.get(schema) ?? compile(schema, named ?? referencedSchemas(schema));
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    return `${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

function compile(schema: Schema, schemas: Schema): ValidateFunction {
  const whole = { ...schema, components: { schemas } };
  const text = JSON.stringify(whole);
  const validate = compiled.get(text) ?? ajv.compile(whole);
  compiled.set(text, validate);
  validators.set(schema, validate);
  return validate;
}

/** Returns a method that fails with an error of its own when its answer does not keep to its schema. */
export function withCheckedAnswer(row: Method): Method {
  const check = (json: string): string => {
    const faults = schemaFaults(row.result.schema, JSON.parse(json));
    if (faults.length === 0) return json;
    throw new Error(`${row.name} does not keep to its schema: ${faults.join("; ")}: ${json.slice(0, 500)}`);
  };
  return {
    ...row,
    inline:
      row.inline &&
      ((params) => {
        const answer = row.inline?.(params);
        return answer === undefined ? undefined : check(answer);
      }),
    invoke: (params, context) => {
      const answer = row.invoke(params, context);
      return answer instanceof Promise ? answer.then(check) : check(answer);
    },
  };
}

/** Returns a subscription whose source fails when a notification does not keep to its schema. */
export function withCheckedNotifications(row: Subscription): Subscription {
  return {
    ...row,
    start: (params, subscriber) =>
      row.start(params, {
        connection: subscriber.connection,
        notify: (payload) => {
          const { params: sent } = JSON.parse(`{"params":{"subscription":"${payload.rest}`) as {
            params: { result: unknown };
          };
          const faults = schemaFaults(row.notification, sent.result);
          if (faults.length > 0)
            throw new Error(`${row.name} does not keep to its schema: ${faults.join("; ")}: ${payload.rest}`);
          subscriber.notify(payload);
        },
      }),
    withParams: (others) => withCheckedNotifications(row.withParams(others)),
  };
}
