import { isObject, type JsonObject } from '../protocol/message.ts';

/**
 * An answer to a form, accepted as the server has filled it in, where the answer itself has no content
 * (2025-11-25: client/elicitation, default values).
 *
 * @param asked the params of `elicitation/create`
 */
export function filledIn(answer: JsonObject, asked: JsonObject): JsonObject {
  const schema = asked['requestedSchema'];
  if (answer['action'] !== 'accept' || 'content' in answer || asked['mode'] === 'url' || !isObject(schema))
    return answer;
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const content = properties.flatMap(([name, property]) =>
    isObject(property) && property['default'] !== undefined ? [[name, property['default']] as const] : [],
  );
  return { ...answer, content: Object.fromEntries(content) };
}
