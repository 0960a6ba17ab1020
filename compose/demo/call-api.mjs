/**
 * Calls a method of the API with JSON and resolves to its answer. Rejects when the call is refused, or not answered within
 * `timeoutMs`.
 */
export async function callApi(url, method, body, { token, timeoutMs = 5_000 } = {}) {
  const address = `${url}/svc.v1.${method}`;
  const response = await fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`${address} answers ${response.status}: ${await response.text()}`);
  return response.json();
}
