//! The words of the pages in each language: a word that one language lacks does not compile.

mod de;
mod en;
mod zh;

/// The languages, the default first.
pub(crate) const LANGUAGES: [&Texts; 3] = [&en::TEXTS, &de::TEXTS, &zh::TEXTS];

/// The words of the pages in one language.
#[derive(Debug)]
pub(crate) struct Texts {
    /// The code of the language, for `lang`.
    pub(crate) code: &'static str,
    /// The language's own name.
    pub(crate) name: &'static str,
    pub(crate) console: &'static str,
    pub(crate) skip: &'static str,
    pub(crate) language: &'static str,
    pub(crate) sign_in: &'static str,
    pub(crate) sign_out: &'static str,
    pub(crate) signed_in_as: &'static str,
    pub(crate) credential: &'static str,
    pub(crate) credential_hint: &'static str,
    pub(crate) tenant: &'static str,
    pub(crate) user: &'static str,
    pub(crate) user_hint: &'static str,
    pub(crate) optional: &'static str,
    pub(crate) required: &'static str,
    pub(crate) sign_in_failed: &'static str,
    pub(crate) too_long: &'static str,
    pub(crate) inbox: &'static str,
    pub(crate) inbox_empty: &'static str,
    pub(crate) for_whom: &'static str,
    pub(crate) budget: &'static str,
    pub(crate) waits_since: &'static str,
    pub(crate) ends: &'static str,
    pub(crate) next_page: &'static str,
    pub(crate) first_page: &'static str,
    pub(crate) effect_read: &'static str,
    pub(crate) effect_write: &'static str,
    pub(crate) preview: &'static str,
    pub(crate) no_preview: &'static str,
    pub(crate) preview_failed: &'static str,
    pub(crate) arguments: &'static str,
    pub(crate) no_arguments: &'static str,
    pub(crate) json: &'static str,
    pub(crate) not_set: &'static str,
    pub(crate) yes: &'static str,
    pub(crate) no: &'static str,
    pub(crate) wrong_value: &'static str,
    pub(crate) who: &'static str,
    pub(crate) tool: &'static str,
    pub(crate) caller: &'static str,
    pub(crate) site: &'static str,
    pub(crate) session: &'static str,
    pub(crate) trace: &'static str,
    pub(crate) ticket: &'static str,
    pub(crate) reason: &'static str,
    pub(crate) decide: &'static str,
    pub(crate) approve: &'static str,
    pub(crate) approve_confirm: &'static str,
    pub(crate) exceed_budgets: &'static str,
    pub(crate) edit: &'static str,
    pub(crate) review: &'static str,
    pub(crate) changes: &'static str,
    pub(crate) no_changes: &'static str,
    pub(crate) argument: &'static str,
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) approve_changed: &'static str,
    pub(crate) decline: &'static str,
    pub(crate) decline_reason: &'static str,
    pub(crate) decided_approved: &'static str,
    pub(crate) decided_declined: &'static str,
    pub(crate) decided_before: &'static str,
    pub(crate) decided_failed: &'static str,
    pub(crate) decided_refused: &'static str,
    pub(crate) answer: &'static str,
    pub(crate) says: &'static str,
    pub(crate) gone: &'static str,
    pub(crate) gone_text: &'static str,
    pub(crate) back: &'static str,
    pub(crate) failed: &'static str,
    pub(crate) no_page: &'static str,
    pub(crate) stale_form: &'static str,
    /// Stands before the number of characters that are left out.
    pub(crate) left_out: &'static str,
    pub(crate) minutes: &'static str,
    pub(crate) hours: &'static str,
    pub(crate) decided_without_effect: &'static str,
    pub(crate) decided_unknown: &'static str,
    pub(crate) decided_done: &'static str,
    pub(crate) review_confirm: &'static str,
    pub(crate) effect_destructive: &'static str,
    pub(crate) attachments: &'static str,
    pub(crate) cut: &'static str,
    pub(crate) days: &'static str,
    pub(crate) inbox_link: &'static str,
    pub(crate) outcomes_link: &'static str,
    pub(crate) traces_link: &'static str,
    pub(crate) may_look: &'static str,
    pub(crate) outcomes: &'static str,
    pub(crate) outcomes_about: &'static str,
    pub(crate) outcomes_empty: &'static str,
    pub(crate) damaged: &'static str,
    pub(crate) damaged_about: &'static str,
    pub(crate) unknown_since: &'static str,
    pub(crate) key: &'static str,
    pub(crate) global_key: &'static str,
    pub(crate) outcome_gone: &'static str,
    pub(crate) outcome_gone_text: &'static str,
    pub(crate) outcome_known: &'static str,
    pub(crate) back_to_outcomes: &'static str,
    pub(crate) resolve: &'static str,
    pub(crate) resolve_reason: &'static str,
    pub(crate) did_not_happen: &'static str,
    pub(crate) did_not_happen_confirm: &'static str,
    pub(crate) did_not_happen_button: &'static str,
    pub(crate) happened: &'static str,
    pub(crate) happened_answer: &'static str,
    pub(crate) happened_confirm: &'static str,
    pub(crate) happened_button: &'static str,
    pub(crate) not_resolved: &'static str,
    pub(crate) resolve_needs: &'static str,
    pub(crate) answer_is_json: &'static str,
    pub(crate) trace_id: &'static str,
    pub(crate) show: &'static str,
    pub(crate) no_trace: &'static str,
    pub(crate) kind_run: &'static str,
    pub(crate) kind_stored_answer: &'static str,
    pub(crate) kind_waiting: &'static str,
    pub(crate) kind_not_run: &'static str,
    pub(crate) kind_preview: &'static str,
    pub(crate) kind_dry_run: &'static str,
    pub(crate) kind_replay: &'static str,
    pub(crate) has_failed: &'static str,
    pub(crate) attempts: &'static str,
    pub(crate) waited: &'static str,
    pub(crate) ran: &'static str,
    pub(crate) evidence: &'static str,
    pub(crate) record: &'static str,
    pub(crate) replay: &'static str,
    pub(crate) replay_about: &'static str,
    pub(crate) replay_reason: &'static str,
    pub(crate) replayed: &'static str,
    pub(crate) no_replay: &'static str,
    pub(crate) replay_needs: &'static str,
    pub(crate) verdict: &'static str,
    pub(crate) verdict_same: &'static str,
    pub(crate) verdict_changed: &'static str,
    pub(crate) verdict_removed: &'static str,
    pub(crate) verdict_skipped: &'static str,
    pub(crate) difference: &'static str,
    pub(crate) resolve_unknown: &'static str,
    pub(crate) live: &'static str,
    pub(crate) live_lost: &'static str,
    pub(crate) tools: &'static str,
    pub(crate) search: &'static str,
    pub(crate) effect: &'static str,
    pub(crate) any: &'static str,
    pub(crate) no_tools: &'static str,
    pub(crate) no_tool: &'static str,
    pub(crate) no_tool_text: &'static str,
    pub(crate) back_to_tools: &'static str,
    pub(crate) toolkit: &'static str,
    pub(crate) category: &'static str,
    pub(crate) values: &'static str,
    pub(crate) about: &'static str,
    pub(crate) try_it: &'static str,
    pub(crate) try_run: &'static str,
    pub(crate) try_dry_run: &'static str,
    pub(crate) try_dry: &'static str,
    pub(crate) try_ran: &'static str,
    pub(crate) try_waits: &'static str,
    pub(crate) try_failed: &'static str,
    pub(crate) from_a_shell: &'static str,
    pub(crate) ledger: &'static str,
    pub(crate) ledger_link: &'static str,
    pub(crate) ledger_about: &'static str,
    pub(crate) ledger_verify: &'static str,
    pub(crate) ledger_intact: &'static str,
    pub(crate) ledger_damaged: &'static str,
    pub(crate) ledger_unverified: &'static str,
    pub(crate) ledger_records: &'static str,
    pub(crate) ledger_checkpoints: &'static str,
    pub(crate) ledger_confirmed: &'static str,
    pub(crate) ledger_unconfirmed: &'static str,
    pub(crate) ledger_chain: &'static str,
}

/// Chooses a language: the one of the cookie, or else the first known one that the browser accepts.
pub(crate) fn choose(chosen: Option<&str>, accepted: Option<&str>) -> &'static Texts {
    let accepted = accepted.unwrap_or_default().split(',').take(16);
    let accepted = accepted.map(|range| range.split(';').next().unwrap_or_default().trim());
    chosen.into_iter().chain(accepted).find_map(find).unwrap_or(LANGUAGES[0])
}

/// Finds a language by its code, with or without a script or a region.
pub(crate) fn find(code: &str) -> Option<&'static Texts> {
    let primary = |code: &str| code.split('-').next().unwrap_or_default().to_ascii_lowercase();
    LANGUAGES.into_iter().find(|texts| primary(texts.code) == primary(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_language_comes_before_those_that_the_browser_accepts() {
        assert_eq!(choose(Some("zh-Hans"), Some("de")).code, "zh-Hans");
        assert_eq!(choose(None, Some("fr-CH, de-AT;q=0.9, en;q=0.8")).code, "de");
        assert_eq!(choose(Some("xx"), Some("zh-TW")).code, "zh-Hans");
        assert_eq!(choose(None, Some("fr")).code, "en");
        assert_eq!(choose(None, None).code, "en");
    }
}
