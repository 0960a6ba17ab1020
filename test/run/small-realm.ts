/** Check settings with short intervals and timeouts. */
export const quickCheck = `check_interval: "1s", retry_interval: "300ms", timeout: "20s", max_attempts: 2, flap: {enabled: false}`;

/** Line of the document of `smallRealm` with its passive service. */
export const jobLine = `job: check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;

/**
 * Document with a host, a service on the same port and a passive service: `web1`, `web1!http` and `web1!job`.
 *
 * @param address target of the checks, `HOST:PORT`
 * @param more    further declarations
 */
export const smallRealm = (address: string, more = ""): string => `
hosts: web1: {
	address: "127.0.0.1"
	labels: {env: "prod"}
	check: {type: "tcp", address: "${address}", ${quickCheck}}
	services: {
		http: check: {type: "tcp", address: "${address}", ${quickCheck}}
		${jobLine}
	}
}
${more}
`;
