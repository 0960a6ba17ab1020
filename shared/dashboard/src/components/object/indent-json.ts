/** JSON with indentation; other text, such as a truncated request, is returned unchanged. */
export function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
