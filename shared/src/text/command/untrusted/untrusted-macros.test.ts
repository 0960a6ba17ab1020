import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findMisusedMacro } from "./untrusted-macros.ts";

const resources = { USER1: "/bin/sh", USER2: "/usr/lib/plugins" };
const noArguments = { args: undefined, resources };
const placeOf = (line: string, shell: boolean): string | undefined =>
  findMisusedMacro({ line, shell }, noArguments)?.place;

/** Lines that are refused with a shell and without: programs that are not listed, whatever their arguments are. */
const refusedInBoth: readonly string[] = [
  `/bin/sh -c 'echo $SERVICEOUTPUT$ | mail ops'`,
  `sh -c "logger '$SERVICEOUTPUT$'"`,
  "/bin/sh -ec $SERVICEOUTPUT$",
  `bash -lc "notify \\"$HOSTOUTPUT$\\""`,
  `/usr/bin/bash -o pipefail -c 'echo $SERVICEOUTPUT$'`,
  `dash -c "echo $LONGSERVICEOUTPUT$"`,
  "zsh -c '$SERVICEPERFDATA$'",
  "ksh -c 'echo $NOTIFICATIONCOMMENT$'",
  "ash -c 'echo $NOTIFICATIONAUTHOR$'",
  "busybox sh -c 'echo $SERVICEOUTPUT$'",
  "/bin/busybox awk '{print \"$SERVICEOUTPUT$\"}'",
  "sh -c 'mail -s x \"$1\"' mail $SERVICEOUTPUT$",
  "sh $SERVICEOUTPUT$",
  "eval echo $SERVICEOUTPUT$",
  `eval "echo \\"$SERVICEOUTPUT$\\""`,
  "trap 'echo $SERVICEOUTPUT$' EXIT",
  `ssh ops@web1 "logger '$SERVICEOUTPUT$'"`,
  "/usr/bin/ssh -o BatchMode=yes web1 notify $SERVICEOUTPUT$",
  "su -c 'echo $SERVICEOUTPUT$' nagios",
  "su - nagios -c 'echo $SERVICEOUTPUT$'",
  "runuser -u nagios -- sh -c 'echo $SERVICEOUTPUT$'",
  "sudo sh -c 'echo $SERVICEOUTPUT$'",
  "sudo -u nagios /bin/bash -c 'echo $SERVICEOUTPUT$'",
  "/usr/bin/sudo -n ssh web1 echo $SERVICEOUTPUT$",
  "sudo -i echo $SERVICEOUTPUT$",
  "sudo -u nagios -s -- echo $SERVICEOUTPUT$",
  "sudo python3 -c 'print(\"$SERVICEOUTPUT$\")'",
  "env -S 'sh -c x $SERVICEOUTPUT$'",
  "/usr/bin/env -iS 'notify $SERVICEOUTPUT$'",
  "env --split-string='notify $SERVICEOUTPUT$'",
  "env LANG=C bash -c 'echo $SERVICEOUTPUT$'",
  "xargs -I{} notify $SERVICEOUTPUT$",
  "nohup nice -n 5 sh -c 'echo $SERVICEOUTPUT$'",
  "timeout 5 sh -c 'echo $SERVICEOUTPUT$'",
  "flock /tmp/lock -c 'notify $SERVICEOUTPUT$'",
  "find /tmp -name x -exec sh -c 'echo $SERVICEOUTPUT$' ;",
  "docker exec mail sh -c 'echo $SERVICEOUTPUT$'",
  "run-in-jail 7 bash -c 'echo $SERVICEOUTPUT$'",
  "watch -n 1 echo $SERVICEOUTPUT$",
  `perl -e 'print "$SERVICEOUTPUT$"'`,
  `perl -lne 'print "$SERVICEOUTPUT$"'`,
  `python -c 'print("""$SERVICEOUTPUT$""")'`,
  `/usr/bin/python3.11 -W ignore -c 'print("$SERVICEOUTPUT$")'`,
  `ruby -rsocket -e 'puts "$SERVICEOUTPUT$"'`,
  `node -e 'console.log("$SERVICEOUTPUT$")'`,
  `node --eval='console.log("$SERVICEOUTPUT$")'`,
  `php -r 'echo "$SERVICEOUTPUT$";'`,
  `php -d display_errors=0 -r 'echo "$SERVICEOUTPUT$";'`,
  `awk 'BEGIN { print "$SERVICEOUTPUT$" }'`,
  "gawk -v text=$SERVICEOUTPUT$ '{ print text }' /etc/hosts",
  "sed -e 's/x/$SERVICEOUTPUT$/' template",
  "sed 's/x/$SERVICEOUTPUT$/' template",
  `psql -c "insert into log values ('$SERVICEOUTPUT$')" ops`,
  `mysql ops -e "insert into log values ('$SERVICEOUTPUT$')"`,
  "$USER1$ -c 'echo $SERVICEOUTPUT$'",
  "$_HOSTSHELL$ -c 'echo $SERVICEOUTPUT$'",
  "$SERVICEOUTPUT$ --now",
  "'sh' \"-c\" 'echo $SERVICEOUTPUT$'",
  String.raw`\sh -c 'echo $SERVICEOUTPUT$'`,
  "find /var/spool -name $SERVICEOUTPUT$ -delete",
  "find . -exec notify $SERVICEOUTPUT$ +",
  "make -f - TEXT=$SERVICEOUTPUT$",
  "ed $SERVICEOUTPUT$",
  "ex -s $SERVICEOUTPUT$",
  "gdb -ex $SERVICEOUTPUT$",
  "git -c alias.x=$SERVICEOUTPUT$ x",
  "tar --checkpoint=1 --checkpoint-action=exec=$SERVICEOUTPUT$ -cf /dev/null /etc/hostname",
  "timeout 5 $SERVICEOUTPUT$",
  "nohup $SERVICEOUTPUT$",
  "nice -n 5 $SERVICEOUTPUT$",
  "setsid $SERVICEOUTPUT$",
  "exec $SERVICEOUTPUT$",
  "command $SERVICEOUTPUT$",
  "env LD_PRELOAD=$SERVICEOUTPUT$ printf x",
  "env PATH=/tmp printf %s $SERVICEOUTPUT$",
  "env PATH=/tmp /opt/page $SERVICEOUTPUT$",
  "env WHAT=$SERVICEOUTPUT$ /opt/page",
  "env HOSTALIASES=$SERVICEOUTPUT$ /opt/page",
  "env WHAT=$HOSTNAME$ printf %s $SERVICEOUTPUT$",
  "env -i printf %s $SERVICEOUTPUT$",
  "timeout $SERVICEOUTPUT$ printf x",
  "sudo -u nagios /usr/bin/mail -s $SERVICEOUTPUT$ ops",
  "psql -v text=$SERVICEOUTPUT$ -f /opt/insert.sql ops",
  "/usr/lib/../bin/bash /opt/notify.sh $SERVICEOUTPUT$",
  "//bin/./sh /opt/notify.sh $SERVICEOUTPUT$",
  "../bin/sh /opt/notify.sh $SERVICEOUTPUT$",
  "printf $SERVICEOUTPUT$",
  "printf -- $SERVICEOUTPUT$",
  "curl --data $SERVICEOUTPUT$ https://chat.example.org",
  "curl --data @$SERVICEOUTPUT$ https://chat.example.org",
  "curl -F text=$SERVICEOUTPUT$ https://chat.example.org",
  "curl -o /tmp/$SERVICEOUTPUT$ https://chat.example.org",
  "curl $SERVICEOUTPUT$",
  "curl -- $SERVICEOUTPUT$",
  "curl -K - --data-urlencode text=$SERVICEOUTPUT$",
  "curl -sK- --data-urlencode text=$SERVICEOUTPUT$",
  "mail -s problem $SERVICEOUTPUT$",
  "mail -s problem -- $SERVICEOUTPUT$",
  "mail -s problem ops,$SERVICEOUTPUT$",
  "mail -s $SERVICEOUTPUT$",
  "mail -~ -s $SERVICEOUTPUT$ ops",
  "mailx -f /var/mail/x -s $SERVICEOUTPUT$",
  "sendmail $SERVICEOUTPUT$",
  "sendmail -C/tmp/$SERVICEOUTPUT$ ops",
  "logger $SERVICEOUTPUT$",
  "logger -$SERVICEOUTPUT$",
  "jq -n '{text: \"$SERVICEOUTPUT$\"}'",
  "jq -nf /tmp/filter --arg text $SERVICEOUTPUT$",
  "jq --rawfile text $SERVICEOUTPUT$ .",
  "head /var/log/syslog $SERVICEOUTPUT$",
  "cat /var/log/syslog $SERVICEOUTPUT$",
];

/** Lines that are refused with a shell, for their syntax or for a program that reads the text from its input. */
const refusedInShell: readonly string[] = [
  `printf '%s' "$SERVICEOUTPUT$" | sh`,
  `echo "$SERVICEOUTPUT$" | bash -s`,
  `echo "$SERVICEOUTPUT$" | tee /tmp/log | sudo -u nagios sh`,
  `echo "$SERVICEOUTPUT$" |& /bin/dash`,
  `printf '%s' "$SERVICEOUTPUT$" | ssh web1 'sh -s'`,
  `echo "$SERVICEOUTPUT$" | xargs notify`,
  `echo "$SERVICEOUTPUT$" | python3 -`,
  `echo "$SERVICEOUTPUT$" | awk '{ system($0) }'`,
  `echo "$SERVICEOUTPUT$" | sed -e 's/x/y/e'`,
  `echo "$SERVICEOUTPUT$" | psql ops`,
  `echo "insert into log values ('$SERVICEOUTPUT$')" | mysql ops`,
  `(echo "$SERVICEOUTPUT$"; date) | perl`,
  `echo "$SERVICEOUTPUT$" | { date; sh; }`,
  `echo "$SERVICEOUTPUT$" | while read -r line; do eval "$line"; done`,
  `if true; then echo "$SERVICEOUTPUT$"; fi | sh`,
  `echo "$SERVICEOUTPUT$" | tee >(sh)`,
  `bash < <(echo "$SERVICEOUTPUT$")`,
  `bash <(echo "$SERVICEOUTPUT$")`,
  `sh <<< "$SERVICEOUTPUT$"`,
  "sh <<EOF\necho $SERVICEOUTPUT$\nEOF",
  "cat <<-'EOF' | sh\n\techo $SERVICEOUTPUT$\n\tEOF\n",
  "python3 - <<EOF\nprint('$SERVICEOUTPUT$')\nEOF\necho sent",
  `true && sh -c "echo $SERVICEOUTPUT$"`,
  `test -n x || eval "$SERVICEOUTPUT$"`,
  `X=1 sh -c "echo $SERVICEOUTPUT$"`,
  `text=$SERVICEOUTPUT$; sh -c "echo $text"`,
  `export text="$SERVICEOUTPUT$"; eval "echo $\{text}"`,
  `for word in $SERVICEOUTPUT$; do ssh web1 "$word"; done`,
  `set -- "$SERVICEOUTPUT$"; eval "echo $1"`,
  `run() { eval "$1"; }; run "$SERVICEOUTPUT$"`,
  `sh -c "$(printf %s "$SERVICEOUTPUT$")"`,
  'echo "$(sh -c "echo $SERVICEOUTPUT$")"',
  "echo `sh -c 'echo $SERVICEOUTPUT$'`",
  `case x in x) sh -c "echo $SERVICEOUTPUT$";; esac`,
  "echo $(( $SERVICEPERFDATA$ + 1 ))",
  `"$SHELL" -c "echo $SERVICEOUTPUT$"`,
  `exec 2>/dev/null; exec sh -c "echo $SERVICEOUTPUT$" >/dev/null`,
  `# it's a comment\nsh -c "echo $SERVICEOUTPUT$"`,
  `printf '%s' "$SERVICEOUTPUT$" | . /dev/stdin`,
  `printf '%s' "$SERVICEOUTPUT$" > /tmp/f; sh /tmp/f`,
  `printf '%s' "$SERVICEOUTPUT$" | tee /tmp/f; sh /tmp/f`,
  `printf '%s' "$SERVICEOUTPUT$" > /tmp/f`,
  `printf '%s' "$SERVICEOUTPUT$" | make -f -`,
  `printf '%s' "$SERVICEOUTPUT$" | at now`,
  `printf '%s' "$SERVICEOUTPUT$" | mail`,
  `printf '%s' "$SERVICEOUTPUT$" | mail -s problem`,
  `printf '%s' "$SERVICEOUTPUT$" | mail -~ ops`,
  `printf '%s' "$SERVICEOUTPUT$" | curl -K -`,
  `printf '%s' "$SERVICEOUTPUT$" | jq -f /dev/stdin`,
  `printf '%s' "$SERVICEOUTPUT$" | sendmail -bs`,
  `printf '%s' "$SERVICEOUTPUT$" | cat /dev/stdin`,
  `printf '%s' "$SERVICEOUTPUT$" & sh`,
  `printf '%s' "$SERVICEOUTPUT$" 2>&3`,
  `printf '%s' "$SERVICEOUTPUT$" < /tmp/f`,
  `alias printf=sh; printf "$SERVICEOUTPUT$"`,
  `PATH=/tmp printf '%s' "$SERVICEOUTPUT$"`,
  `LD_PRELOAD=/tmp/x.so printf '%s' "$SERVICEOUTPUT$"`,
  `LANG=$SERVICEOUTPUT$ printf x`,
  `TEXT=$SERVICEOUTPUT$`,
  `printf '%s' "\${TEXT:-$SERVICEOUTPUT$}"`,
  `printf $'%s' "$SERVICEOUTPUT$"`,
  `"$PROGRAM" "$SERVICEOUTPUT$"`,
  `{ echo "To: x"; echo "$SERVICEOUTPUT$"; } | /usr/sbin/sendmail -t`,
  `echo $SERVICEOUTPUT$ # | sh`,
  "case $SERVICEOUTPUT$ in *timeout*) /opt/notify --slow;; esac",
];

for (const shell of [false, true])
  for (const line of shell ? [...refusedInBoth, ...refusedInShell] : refusedInBoth)
    test(`[PO9] refused ${shell ? "with" : "without"} a shell: ${JSON.stringify(line)}`, () => {
      assert.notEqual(placeOf(line, shell), undefined);
    });

const nagiosMail =
  '/usr/bin/printf "%b" "***** Nagios *****\\n\\nNotification Type: $NOTIFICATIONTYPE$\\n\\nService: $SERVICEDESC$\\n' +
  "Host: $HOSTALIAS$\\nAddress: $HOSTADDRESS$\\nState: $SERVICESTATE$\\n\\nDate/Time: $LONGDATETIME$\\n\\n" +
  'Additional Info:\\n\\n$SERVICEOUTPUT$" | /usr/bin/mail -s "** $NOTIFICATIONTYPE$ Service Alert: ' +
  '$HOSTALIAS$/$SERVICEDESC$ is $SERVICESTATE$ **" $CONTACTEMAIL$';

const allowed: readonly string[] = [
  nagiosMail,
  `printf '%b' "$SERVICEOUTPUT$" | mail -s "$HOSTNAME$" ops@example.org`,
  '/opt/notify --to $CONTACTEMAIL$ $SERVICEOUTPUT$ -- $SERVICEOUTPUT$ "$NOTIFICATIONCOMMENT$"',
  "$USER2$/notify $SERVICEOUTPUT$",
  "timeout 5 nice -n 5 /opt/notify $SERVICEOUTPUT$",
  "/usr/bin/env LC_ALL=C TZ=UTC /usr/bin/nohup setsid -f /opt/notify $SERVICEOUTPUT$",
  "/usr/bin/env 'WHAT=$HOSTNAME$ $SERVICEDESC$' SERVICEOUTPUT=$SERVICEOUTPUT$ /opt/page --text $SERVICEOUTPUT$",
  "timeout -k 1 --signal=KILL 5 curl -fsS --data-urlencode text=$SERVICEOUTPUT$ https://chat.example.org",
  "curl -H 'X-Output: $SERVICEOUTPUT$' https://chat.example.org/x?text=$SERVICEOUTPUT$",
  "logger -t sh -- $SERVICEOUTPUT$",
  "logger 'output: $SERVICEOUTPUT$'",
  "echo -n $SERVICEOUTPUT$",
  "jq -n --arg text $SERVICEOUTPUT$ '{text: $text}'",
  "mail -s $SERVICEOUTPUT$ ops",
  `sh -c 'echo "$NAGIOS_SERVICEOUTPUT" | mail ops'`,
  "sh -c 'echo $HOSTNAME$ $SERVICESTATE$'",
  "mail -s x ops <<EOF\n$HOSTNAME$ is down\nEOF",
];
const allowedInShell: readonly string[] = [
  `LC_ALL=C LANG=C printf '%s' "$SERVICEOUTPUT$" 2>&1 | fold -s -w 72 | head -n 20 | cut -c 1-72 >/dev/null 2>/dev/null`,
  `printf '%s' "$SERVICEOUTPUT$" | cat | tr -d '\\r' | /usr/sbin/sendmail -t`,
  `jq -n --arg text "$SERVICEOUTPUT$" '{text: $text}' | curl -fsS -H "Authorization: Bearer $TOKEN" -d @- https://x.example.org`,
  "printf %s $SERVICEOUTPUT$ | /opt/sms --stdin",
  `echo "it's $SERVICEOUTPUT$" | mail -s 'a "quoted" subject' ops`,
];
for (const shell of [false, true])
  for (const line of shell ? [...allowed, ...allowedInShell] : allowed)
    test(`[PO9] allowed ${shell ? "with" : "without"} a shell: ${JSON.stringify(line)}`, () => {
      assert.equal(placeOf(line, shell), undefined);
    });

test("[PO9] a finding names the macro, its argument, the place and what is allowed", () => {
  const find = (line: string, args: string[] | undefined, shell = false) =>
    findMisusedMacro({ line, shell }, { args, resources });
  const macro = "SERVICEOUTPUT";
  assert.deepEqual(find("find . -name $SERVICEOUTPUT$", undefined), {
    ...{ macro, argument: undefined, place: "in a line that runs find" },
    allowed:
      "of the system's programs such a line may run printf, echo, mail, mailx, sendmail, logger, curl, jq, cut, tr, head, fold and cat without arguments",
  });
  assert.equal(find("sh -c $ARG1$", ["echo $SERVICEOUTPUT$"])?.argument, 0);
  assert.equal(find(`sh -c "$ARG2$"`, ["x", "echo $SERVICEOUTPUT$"], true)?.argument, 1);
  assert.equal(find("$ARG1$", ["printf x; sh -c '$SERVICEOUTPUT$'"], true)?.place, 'in a line with ";"');
  assert.equal(find("$ARG1$", ["printf %s $SERVICEOUTPUT$"], true), undefined);
  assert.equal(find("/opt/notify $ARG1$", ["sh -c $SERVICEOUTPUT$"]), undefined);
  assert.equal(find("logger $ARG1$", ["-x $SERVICEOUTPUT$"])?.argument, 0);
  assert.equal(find("logger $ARG1$", ["x $SERVICEOUTPUT$"]), undefined, "an argument stays one word");
});

test("[PO9] every text is read to its end, and what runs another program is never allowed", () => {
  const piece = fc.constantFrom(
    ...[..."(){}<>|&;'\"`$\\# \n\u00a0"],
    ...["if ", "case ", "for x in ", "esac", "do ", "<<E", "$((", "X=", "sh -c ", "/opt/x ", "$HOSTOUTPUT$"],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      for (const shell of [false, true]) findMisusedMacro({ line: pieces.join(""), shell }, noArguments);
      assert.notEqual(placeOf(`printf %s $HOSTOUTPUT$; ${pieces.join("")}`, true), undefined);
      assert.notEqual(placeOf(`printf %s $HOSTOUTPUT$ | sh ${pieces.join("")}`, true), undefined);
    }),
    { numRuns: 2_000 },
  );
});
