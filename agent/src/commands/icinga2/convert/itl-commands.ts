import { IcingaDictionary, type IcingaValue } from "../dsl/values.ts";
import type { IcingaObject } from "../icinga-object.ts";

/** Command of the monitoring plugins: its program, arguments, and values of variables that are not set. */
type PluginCommand = {
  readonly plugin: string;
  /** `FLAG $value$`; `FLAG ?variable` is a switch; `$value$` alone has no flag; `FLAG*` takes the flag once. */
  readonly args: readonly string[];
  readonly vars?: Readonly<Record<string, IcingaValue>>;
  /** Timeout of the command, s; that of all commands by default. */
  readonly timeout?: number;
};

const ping = (prefix: string, limits: readonly [number, number, number, number]): PluginCommand => ({
  plugin: "check_ping",
  args: [
    ...["-H $ping_address$", "-w $ping_wrta$,$ping_wpl$%", "-c $ping_crta$,$ping_cpl$%", "-p $ping_packets$"],
    ...["-t $ping_timeout$", ...(prefix === "" ? [] : [`${prefix} ?ping_family`])],
  ],
  vars: {
    ...{ ping_address: prefix === "-6" ? "$address6$" : "$check_address$", ping_family: true },
    ...{ ping_wrta: limits[0], ping_wpl: limits[1], ping_crta: limits[2], ping_cpl: limits[3] },
  },
});
const service = [100, 5, 200, 15] as const;
const alive = [3000, 80, 5000, 100] as const;

/** Arguments that the plugins for simple protocols share; `@` stands for the prefix of the variables. */
const protocol = (plugin: string, prefix: string, more: readonly string[] = []): PluginCommand => ({
  plugin,
  args: [
    ...["-H $@_address$", "-p $@_port$", "-e $@_expect$", "-s $@_send$", "-w $@_wtime$", "-c $@_ctime$"],
    ...["-t $@_timeout$", "-S ?@_ssl", "-D $@_certificate_age$", ...more],
  ].map((each) => each.replaceAll("@", prefix)),
  vars: { [`${prefix}_address`]: "$check_address$" },
});

/** File systems that are not on a disk. */
const virtualFileSystems = [
  ...["none", "tmpfs", "sysfs", "proc", "configfs", "devtmpfs", "devfs", "mtmfs", "tracefs", "cgroup", "overlay"],
  ...["fuse.gvfsd-fuse", "fuse.gvfs-fuse-daemon", "fuse.portal", "fdescfs", "nsfs", "squashfs"],
];

/** Check commands that are built into Icinga 2 and run plugins, by their names. */
const pluginCommands: Readonly<Record<string, PluginCommand>> = {
  ping: ping("", service),
  ping4: ping("-4", service),
  ping6: ping("-6", service),
  hostalive: ping("", alive),
  hostalive4: ping("-4", alive),
  hostalive6: ping("-6", alive),
  http: {
    plugin: "check_http",
    args: [
      ...["-H $http_vhost$", "-I $http_address$", "-u $http_uri$", "-p $http_port$", "-S ?http_ssl", "--sni ?http_sni"],
      ...["-C $http_certificate$", "-a $http_auth_pair$", "-b $http_proxy_auth_pair$", "-f $http_onredirect$"],
      ...["-w $http_warn_time$", "-c $http_critical_time$", "-t $http_timeout$", "-e $http_expect$"],
      ...["-d $http_headerstring$", "-s $http_string$", "-r $http_expect_body_regex$", "-R $http_expect_body_eregi$"],
      ...["--invert-regex ?http_invertregex", "-j $http_method$", "-P $http_post$", "-T $http_contenttype$"],
      ...["-A $http_useragent$", "-k $http_header$", "-m $http_pagesize$", "-M $http_maxage$", "-N ?http_ignore_body"],
      ...["-l ?http_linespan", "-L ?http_link", "-E ?http_extendedperfdata", "-J $http_clientcert$"],
      ...["-K $http_privatekey$", "-4 ?http_ipv4", "-6 ?http_ipv6", "-v ?http_verbose"],
    ],
    vars: { http_address: "$check_address$", http_ssl: false, http_sni: false },
  },
  tcp: protocol("check_tcp", "tcp", ["-q $tcp_quit$", "-M $tcp_mismatch$", "-r $tcp_refuse$", "-m $tcp_maxbytes$"]),
  udp: protocol("check_udp", "udp"),
  ssl: {
    plugin: "check_tcp",
    args: [
      "-H $ssl_address$",
      "-p $ssl_port$",
      "--ssl ?ssl",
      "-t $ssl_timeout$",
      "-D $ssl_cert_valid_days_warn$,$ssl_cert_valid_days_critical$",
      "-N $ssl_sni$",
    ],
    vars: { ssl: true, ssl_address: "$check_address$", ssl_port: 443 },
  },
  ftp: protocol("check_ftp", "ftp"),
  smtp: {
    plugin: "check_smtp",
    args: [
      ...["-H $smtp_address$", "-p $smtp_port$", "-f $smtp_mail_from$", "-e $smtp_expect$", "-C $smtp_command$"],
      ...["-R $smtp_response$", "-F $smtp_helo_fqdn$", "-S ?smtp_starttls", "-A $smtp_authtype$", "-U $smtp_authuser$"],
      ...["-P $smtp_authpass$", "-w $smtp_warn$", "-c $smtp_crit$", "-t $smtp_timeout$", "-D $smtp_certificate_age$"],
    ],
    vars: { smtp_address: "$check_address$" },
  },
  imap: protocol("check_imap", "imap"),
  simap: protocol("check_simap", "simap"),
  pop: protocol("check_pop", "pop"),
  spop: protocol("check_spop", "spop"),
  ssh: {
    plugin: "check_ssh",
    args: ["-p $ssh_port$", "-t $ssh_timeout$", "-4 ?ssh_ipv4", "-6 ?ssh_ipv6", "$ssh_address$"],
    vars: { ssh_address: "$check_address$" },
  },
  dns: {
    plugin: "check_dns",
    args: [
      ...["-H $dns_lookup$", "-s $dns_server$", "-q $dns_query_type$", "-a $dns_expected_answers$"],
      ...["-A ?dns_authoritative", "-n ?dns_accept_cname", "-w $dns_wtime$", "-c $dns_ctime$", "-t $dns_timeout$"],
    ],
    vars: { dns_lookup: "$host.name$" },
  },
  dig: {
    plugin: "check_dig",
    args: [
      ...["-H $dig_server$", "-p $dig_port$", "-l $dig_lookup$", "-T $dig_record_type$", "-a $dig_expected_address$"],
      ...["-w $dig_warning$", "-c $dig_critical$", "-t $dig_timeout$"],
    ],
    vars: { dig_server: "$check_address$" },
  },
  snmp: {
    plugin: "check_snmp",
    args: [
      ...["-H $snmp_address$", "-o $snmp_oid$", "-C $snmp_community$", "-p $snmp_port$", "-P $snmp_version$"],
      ...["-w $snmp_warn$", "-c $snmp_crit$", "-s $snmp_string$", "-r $snmp_ereg$", "-R $snmp_eregi$"],
      ...["-l $snmp_label$", "-u $snmp_units$", "-m $snmp_miblist$", "-t $snmp_timeout$", "-e $snmp_retries$"],
      ...["--rate ?snmp_rate", "--invert-search ?snmp_invert_search"],
    ],
    vars: { snmp_address: "$check_address$", snmp_community: "public" },
  },
  nrpe: {
    plugin: "check_nrpe",
    args: [
      ...["-H $nrpe_address$", "-p $nrpe_port$", "-t $nrpe_timeout$", "-c $nrpe_command$", "-n ?nrpe_no_ssl"],
      ...["-u ?nrpe_timeout_unknown", "-2 ?nrpe_version_2", "-P $nrpe_payload_size$", "-a* $nrpe_arguments$"],
    ],
    vars: { nrpe_address: "$check_address$" },
  },
  by_ssh: {
    plugin: "check_by_ssh",
    args: [
      ...["-H $by_ssh_address$", "-p $by_ssh_port$", "-l $by_ssh_logname$", "-i $by_ssh_identity$", "-q ?by_ssh_quiet"],
      ...["-w $by_ssh_warn$", "-c $by_ssh_crit$", "-t $by_ssh_timeout$", "-o $by_ssh_options$", "-C $by_ssh_command$"],
    ],
    vars: { by_ssh_address: "$check_address$", by_ssh_quiet: false },
  },
  disk: {
    plugin: "check_disk",
    args: [
      ...["-w $disk_wfree$", "-c $disk_cfree$", "-W $disk_inode_wfree$", "-K $disk_inode_cfree$"],
      ...["-p $disk_partitions$", "-p#2 $disk_partition$", "-x $disk_partitions_excluded$", "-m ?disk_megabytes"],
      ...["-A ?disk_all", "-L ?disk_stat_remote_fs", "-e ?disk_errors_only", "-R $disk_eregi_path$"],
      ...["-I $disk_ignore_eregi_path$", "-r $disk_ereg_path$", "-i $disk_ignore_ereg_path$", "-t $disk_timeout$"],
      ...["-u $disk_units$", "-X $disk_exclude_type$", "-N $disk_include_type$"],
    ],
    vars: { disk_wfree: "20%", disk_cfree: "10%", disk_exclude_type: virtualFileSystems },
  },
  load: {
    plugin: "check_load",
    args: [
      "-w $load_wload1$,$load_wload5$,$load_wload15$",
      "-c $load_cload1$,$load_cload5$,$load_cload15$",
      "-r ?load_percpu",
    ],
    vars: {
      ...{ load_wload1: 5, load_wload5: 4, load_wload15: 3, load_cload1: 10, load_cload5: 6, load_cload15: 4 },
      load_percpu: false,
    },
  },
  procs: {
    plugin: "check_procs",
    args: [
      ...["-w $procs_warning$", "-c $procs_critical$", "-m $procs_metric$", "-t $procs_timeout$", "-s $procs_state$"],
      ...["-p $procs_ppid$", "-u $procs_user$", "-a $procs_argument$", "-C $procs_command$", "-k ?procs_nokthreads"],
    ],
    vars: { procs_warning: 250, procs_critical: 400, procs_nokthreads: false },
  },
  users: {
    plugin: "check_users",
    args: ["-w $users_wgreater$", "-c $users_cgreater$"],
    vars: { users_wgreater: 20, users_cgreater: 50 },
  },
  swap: {
    plugin: "check_swap",
    args: ["-w $swap_wfree$%", "-c $swap_cfree$%", "-a ?swap_allswaps"],
    vars: { swap_wfree: 50, swap_cfree: 25, swap_allswaps: false },
  },
  ntp_time: {
    plugin: "check_ntp_time",
    args: ["-H $ntp_address$", "-p $ntp_port$", "-w $ntp_warning$", "-c $ntp_critical$", "-t $ntp_timeout$"],
    vars: { ntp_address: "$check_address$" },
  },
  mysql: {
    plugin: "check_mysql",
    args: [
      ...["-H $mysql_hostname$", "-P $mysql_port$", "-s $mysql_socket$", "-u $mysql_username$", "-p $mysql_password$"],
      ...["-d $mysql_database$", "-S ?mysql_check_slave", "-w $mysql_warning$", "-c $mysql_critical$"],
    ],
    vars: { mysql_hostname: "$check_address$" },
  },
  pgsql: {
    plugin: "check_pgsql",
    args: [
      ...["-H $pgsql_hostname$", "-P $pgsql_port$", "-d $pgsql_database$", "-l $pgsql_username$"],
      ...["-p $pgsql_password$", "-w $pgsql_warning$", "-c $pgsql_critical$", "-t $pgsql_timeout$", "-q $pgsql_query$"],
    ],
    vars: { pgsql_hostname: "$check_address$" },
  },
  mailq: {
    plugin: "check_mailq",
    args: ["-w $mailq_warning$", "-c $mailq_critical$", "-t $mailq_timeout$", "-M $mailq_servertype$"],
  },
  apt: { plugin: "check_apt", args: ["-t $apt_timeout$", "-o ?apt_only_critical"], timeout: 300 },
  dummy: {
    plugin: "check_dummy",
    args: ["$dummy_state$", "$dummy_text$"],
    vars: { dummy_state: 0, dummy_text: "Check was successful." },
  },
};

/** Check command that is built into Icinga 2, as an object; undefined for an unknown name. */
export function builtInCommand(name: string, pluginFolder: string): IcingaObject | undefined {
  const known = Object.hasOwn(pluginCommands, name) ? pluginCommands[name] : undefined;
  if (known === undefined) return undefined;
  const { plugin, args, vars = {}, timeout } = known;
  const list = new IcingaDictionary();
  for (const [order, text] of args.entries()) list.set(`${order}`, argumentOf(text, order));
  const attributes = dictionaryOf({ name, command: [`${pluginFolder}/${plugin}`], arguments: list });
  attributes.set("vars", dictionaryOf(vars));
  if (timeout !== undefined) attributes.set("timeout", timeout);
  return { type: "CheckCommand", name, source: { file: "<itl>", line: 1 }, attributes };
}

/** Names of the variables that set arguments of such a command. */
export function builtInVariables(name: string): ReadonlySet<string> {
  const args = Object.hasOwn(pluginCommands, name) ? (pluginCommands[name]?.args ?? []) : [];
  return new Set(args.flatMap((text) => text.match(/[a-z]+_[a-z0-9_]+/g) ?? []));
}

function argumentOf(text: string, order: number): IcingaDictionary {
  const [flag = "", value] = text.split(" ");
  if (value === undefined) return dictionaryOf({ order, value: flag, skip_key: true });
  const key = flag.replace(/[#*].*$/, "");
  if (value.startsWith("?")) return dictionaryOf({ order, key, set_if: `$${value.slice(1)}$` });
  return dictionaryOf({ order, key, value, repeat_key: !flag.endsWith("*") });
}

function dictionaryOf(fields: Readonly<Record<string, IcingaValue>>): IcingaDictionary {
  const dictionary = new IcingaDictionary();
  for (const [name, value] of Object.entries(fields)) dictionary.set(name, value);
  return dictionary;
}
