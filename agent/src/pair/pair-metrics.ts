export const registerPairMetrics = (..._: readonly unknown[]): void => {};
