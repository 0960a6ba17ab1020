/** Variables that programs inherit. Nothing else is handed on: the environment also holds secrets. */
const inherited = /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|MIBS|MIBDIRS)$/;
const usualPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The part of `environment` that is for programs. */
export function programEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept: Record<string, string> = { PATH: usualPath };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && inherited.test(name)) kept[name] = value;
  }
  return kept;
}
