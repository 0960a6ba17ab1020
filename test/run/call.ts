/** What a Connect JSON call answered. `code` and `message` are empty after a success. */
export type RpcAnswer = {
  readonly http: number;
  readonly ok: boolean;
  readonly code: string;
  readonly message: string;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
};

/** Calls an RPC (`QueryService/ListStatus`) as any outside client would: JSON over HTTP/1.1. Rejects only without an answer. */
export async function call(
  base: string,
  rpc: string,
  body: object | string = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RpcAnswer> {
  const response = await fetch(`${base}/svc.v1.${rpc}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(30_000),
  });
  const said = parse(await response.text());
  const word = (field: string): string =>
    typeof said[field] === "string" && !response.ok ? (said[field] as string) : "";
  return {
    http: response.status,
    ok: response.ok,
    code: word("code"),
    message: word("message"),
    headers: response.headers,
    body: said,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return { raw: text };
  }
}
