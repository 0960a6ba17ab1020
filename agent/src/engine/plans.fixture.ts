/** Checked each minute; a problem turns hard with the third attempt. */
export const schedulePlan = {
  checkIntervalMs: 60_000,
  retryIntervalMs: 15_000,
  timeoutMs: 10_000,
  maxAttempts: 3,
  checkPeriod: "",
};

export const flapPlan = { enabled: true, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false };

export const tcpCheck = { type: "tcp", host: "127.0.0.1", port: 1 } as const;

/** Common part of the service plans of these tests. */
export const httpService = {
  ref: "web1!http",
  key: { kind: "service", host: "web1", name: "http" },
  host: "web1",
  check: tcpCheck,
  schedule: schedulePlan,
  flap: flapPlan,
} as const;
