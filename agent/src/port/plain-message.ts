/** Copy of a message without the names of its types, which would cross to another thread with each part of it. */
export function plainMessage<T>(message: T): T {
  if (Array.isArray(message)) return message.map(plainMessage) as T;
  if (typeof message !== "object" || message === null || ArrayBuffer.isView(message)) return message;
  const copy: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(message))
    if (name !== "$typeName" && value !== undefined) copy[name] = plainMessage(value);
  return copy as T;
}
