import type { ImportOutcome } from "../import/import-report.ts";
import { markRead, type NagiosConfiguration, wasRead } from "./nagios-configuration.ts";
import type { NagiosObject } from "./source-objects.ts";

/** Outcome, with its reason, of a directive or an option that no converter reads. */
type LeftOut = { readonly outcome: ImportOutcome; readonly why: string };

const unknown: LeftOut = { outcome: "unsupported", why: "it has no counterpart" };
type Entries = readonly (readonly [name: string, LeftOut])[];

const entries =
  (outcome: ImportOutcome) =>
  (why: string, ...names: readonly string[]): Entries =>
    names.map((name) => [name, { outcome, why }]);
/** Directives for functions of Nagios that Realmwatch lacks. */
const lost = entries("unsupported");
/** Directives for functions that Realmwatch has in another way. */
const different = entries("approximated");
/** Directives that Realmwatch does not need. */
const needless = entries("converted");

const directives: ReadonlyMap<string, LeftOut> = new Map([
  ...lost("the dashboard has no icons", "icon_image", "icon_image_alt", "vrml_image"),
  ...lost("the dashboard's map is made from parents", "statusmap_image", "2d_coords", "3d_coords"),
  ...lost("an object is PENDING until its first result", "initial_state"),
  ...lost("a problem that repeats is notified after renotify_interval", "is_volatile"),
  ...lost("every change of the output is in the log of a sink of events", "stalking_options"),
  ...lost("a service depends on its host alone: declare a dependency for a service", "parents"),
  ...lost("flapping is judged by all statuses", "flap_detection_options"),
  ...lost("a handler runs at all times", "event_handler_period"),
  ...different("a sink of results with a selector does this", "obsess"),
  ...lost("give it in args of the contact", "pager", ...[1, 2, 3, 4, 5, 6].map((number) => `address${number}`)),
  ...lost("contacts have no importance: a policy decides who is notified", "minimum_importance", "importance"),
  ...different("roles of identities decide about commands", "can_submit_commands"),
  ...needless("states and toggles are always kept", "retain_status_information", "retain_nonstatus_information"),
  ...needless("performance data is always kept", "process_perf_data"),
  ...needless("checks always run side by side", "parallelize_check"),
  ...needless("nothing is predicted", "failure_prediction_enabled", "failure_prediction_options"),
  ...different("an active check that is late is marked as overdue", "check_freshness", "freshness_threshold"),
  ...lost("passive results are accepted: realmwatch toggle object passive-checks off", "passive_checks_enabled"),
  ...needless(
    "it has no effect here",
    ...["contacts", "contact_groups", "notification_interval", "notification_period", "notification_options"],
    ...["first_notification_delay", "low_flap_threshold", "high_flap_threshold", "event_handler_enabled"],
    ...["flap_detection_enabled", "members", "retry_interval"],
  ),
  ...needless("only hosts and services have a description", "alias", "display_name"),
  ...different("only hosts and services have notes and links", "notes", "notes_url", "action_url"),
]);

const options: ReadonlyMap<string, LeftOut> = new Map([
  ...lost(
    "performance data goes to a sink: declare one",
    ...["host_perfdata_command", "service_perfdata_command", "host_perfdata_file", "service_perfdata_file"],
    ...["host_perfdata_file_processing_command", "service_perfdata_file_processing_command"],
  ),
  ...lost("results go to a sink: declare one", "ocsp_command", "ochp_command"),
  ...lost("modules cannot be loaded: a sink of events or results has what they get", "broker_module"),
  ...needless("it is so here", "translate_passive_host_checks", "passive_host_checks_are_soft"),
  ...different("a check that takes too long is UNKNOWN", "service_check_timeout_state"),
  ...lost("checks go on: notifications are suppressed", "host_down_disable_service_checks"),
  ...lost("checks go on: notifications are suppressed", "service_skip_check_dependency_status"),
  ...lost("checks go on: notifications are suppressed", "service_skip_check_parent_status"),
  ...lost("checks go on: notifications are suppressed", "service_skip_check_host_down_status"),
  ...lost("checks go on: notifications are suppressed", "host_skip_check_dependency_status"),
  ...different("soft states of what an object depends on count", "soft_state_dependencies"),
  ...different("start the agent with -command-file", "command_file"),
  ...different("the environment of programs has the macros of handlers only", "enable_environment_macros"),
  ...needless(
    "Realmwatch has its own files",
    ...["log_file", "log_archive_path", "log_rotation_method"],
    ...["status_file", "object_cache_file", "precached_object_file"],
    ...["state_retention_file", "lock_file", "temp_file", "temp_path", "check_result_path", "debug_file", "p1_file"],
    ...["downtime_file", "comment_file", "query_socket", "auth_file"],
    ...["max_debug_file_size", "max_check_result_file_age", "status_update_interval", "debug_level", "debug_verbosity"],
  ),
  ...needless(
    "its log, journal and metrics have this",
    ...["use_syslog", "log_notifications", "log_service_retries", "log_host_retries", "log_event_handlers"],
    ...["log_global_notifications", "enable_notification_suppression_reason_logging"],
    ...["log_initial_states", "log_current_states", "log_external_commands", "log_passive_checks"],
    ...["retain_state_information", "retention_update_interval", "use_retained_program_state"],
    ...["use_retained_scheduling_info", "retention_scheduling_horizon", "process_performance_data"],
    ...["retained_host_attribute_mask", "retained_service_attribute_mask", "retained_process_host_attribute_mask"],
    ...["retained_process_service_attribute_mask", "retained_contact_host_attribute_mask"],
    ...["retained_contact_service_attribute_mask", "event_broker_options"],
  ),
  ...needless(
    "the scheduler and its limits work by themselves",
    ...["service_inter_check_delay_method", "max_service_check_spread", "host_inter_check_delay_method"],
    ...["max_host_check_spread", "service_interleave_factor", "max_concurrent_checks", "check_workers"],
    ...["check_result_reaper_frequency", "service_reaper_frequency", "max_check_result_reaper_time", "sleep_time"],
    ...["auto_reschedule_checks", "auto_rescheduling_interval", "auto_rescheduling_window", "time_change_threshold"],
    ...["retained_scheduling_randomize_window"],
    ...["use_aggressive_host_checking", "use_agressive_host_checking", "cached_host_check_horizon"],
    ...["cached_service_check_horizon", "enable_predictive_host_dependency_checks"],
    ...["enable_predictive_service_dependency_checks", "check_for_orphaned_services", "check_for_orphaned_hosts"],
    ...["check_service_freshness", "check_host_freshness", "service_freshness_check_interval"],
    ...["freshness_check_interval", "host_freshness_check_interval", "additional_freshness_latency"],
    ...["check_external_commands", "command_check_interval", "external_command_buffer_slots"],
    ...["event_handler_timeout", "notification_timeout", "ocsp_timeout", "ochp_timeout", "perfdata_timeout"],
    ...["use_large_installation_tweaks", "free_child_process_memory", "child_processes_fork_twice", "loadctl_options"],
  ),
  ...needless(
    "it is about Nagios itself",
    ...["nagios_user", "nagios_group", "admin_email", "admin_pager", "date_format", "daemon_dumps_core", "website_url"],
    ...["naemon_user", "naemon_group"],
    ...["check_for_updates", "bare_update_check", "enable_embedded_perl", "use_embedded_perl_implicitly"],
    ...["illegal_object_name_chars", "illegal_macro_output_chars", "enable_failure_prediction"],
    ...["obsess_over_services", "obsess_over_hosts", "allow_empty_hostgroup_assignment"],
    ...["host_perfdata_file_template", "service_perfdata_file_template", "host_perfdata_file_mode"],
    ...["service_perfdata_file_mode", "host_perfdata_file_processing_interval"],
    ...["service_perfdata_file_processing_interval", "host_perfdata_process_empty_results"],
    ...["service_perfdata_process_empty_results"],
  ),
]);

/** Values that lose nothing: most of them switch off a function that is off by default. */
const harmless: ReadonlySet<string> = new Set(["", "0", "n", "null", "none"]);
const isHarmless = (name: string, value: string): boolean =>
  name === "passive_checks_enabled" ? value === "1" : harmless.has(value);

/**
 * [IM26] Adds a finding about each option, and each directive of the objects that were converted, which no converter has
 * read, unless it is switched off.
 */
export function remarkLeftOut(configuration: NagiosConfiguration, converted: readonly NagiosObject[]): void {
  for (const object of converted)
    for (const [name, { value, source }] of object.attributes) {
      if (wasRead(source) || isHarmless(name, value)) continue;
      const { outcome, why } = directives.get(name) ?? unknown;
      configuration[outcome](object, `${name} is left out: ${why}`, name);
      markRead(source);
    }
  for (const { name, option } of configuration.unreadOptions()) {
    if (isHarmless(name, option.value)) continue;
    const { outcome, why } = options.get(name) ?? unknown;
    configuration.report.add({ source: option.source, kind: "option", name, outcome, why: `left out: ${why}` });
  }
}
