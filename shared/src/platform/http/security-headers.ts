const policy = (styles: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Policy of the documentation, whose code samples and diagrams have their colours on the page. */
export const documentationPolicy: string = policy("'self' 'unsafe-inline'");

/**
 * Headers of every response. The dashboard is served as one bundle from this origin: no foreign origin, no inline code,
 * no framing by other sites.
 */
export const securityHeaders: Readonly<Record<string, string>> = {
  "content-security-policy": policy("'self'"),
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};
