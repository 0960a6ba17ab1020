/** Keeps braces in code between backticks as they are: elsewhere on a page the generator evaluates `{{ }}`. */
export function keepBraces(markdown) {
  const render = markdown.renderer.rules.code_inline;
  markdown.renderer.rules.code_inline = (...args) => render(...args).replace("<code", "<code v-pre");
}
