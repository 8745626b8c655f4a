package agentlog

import (
	"strings"
	"testing"
	"time"
)

func TestResetTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 20, 14, 25, 0, berlin) // 19:14 UTC, a Saturday
	for text, want := range map[string]string{
		// The messages of 2.1.329.
		"You've hit your 5-hour limit · resets 4:15pm (America/New_York)":           "2026-11-21T21:15:00Z",
		"You've hit your weekly limit · resets Nov 24, 8:14pm (Europe/Berlin)":      "2026-11-24T19:14:00Z",
		"You've hit your Opus limit · resets 8:14pm (Europe/Berlin)":                "2026-11-21T19:14:26Z", // rounded down
		"You've hit your session limit · resets 3am (UTC) · progress saved":         "2026-11-22T03:00:00Z",
		"You've hit your weekly limit · resets Nov 24 at 2pm (America/Los_Angeles)": "2026-11-24T22:00:00Z",
		// The messages of other programs and of earlier versions.
		"Claude AI usage limit reached|1795291200":                 "2026-11-21T20:00:00Z",
		"Claude AI usage limit reached|1795291200000":              "2026-11-21T20:00:00Z",
		"limit reached, resets 3pm":                                "2026-11-22T14:00:00Z",
		"limit reached ∙ resets at 23:30":                          "2026-11-21T22:30:00Z",
		"Your limit will reset at 2026-11-22T01:00:00Z.":           "2026-11-22T01:00:00Z",
		"resets in 2h 10m":                                         "2026-11-21T21:24:25Z",
		"try again in 5 minutes":                                   "2026-11-21T19:19:25Z",
		"resets Monday 9:00am":                                     "2026-11-23T08:00:00Z",
		"You've hit your monthly limit · resets Dec 1 (UTC)":       "2026-12-01T00:00:00Z",
		"Your 5-hour limit resets Nov 21, 2026, 11:59 p.m. (UTC) ": "2026-11-21T23:59:00Z",
		// For these messages, the reset is unknown.
		"": "", "resets soon": "", "resets": "", "You've hit your monthly spend limit": "", "resets 25:00": "", "resets 13pm": "",
		"resets Feb 31, 2pm": "", "resets Nov 20, 2pm": "", "resets 3pm (Mars/Olympus)": "", "API Error: 529 Overloaded": "",
		"it takes 5 minutes": "", "limit reached|1000000000": "", "resets 2099-01-01T00:00:00Z": "", "resets in 900000d": "",
	} {
		got := ResetTime(text, now)
		if want == "" {
			if !got.IsZero() {
				t.Errorf("%q resets at %s, but that is unknown", text, got)
			}
			continue
		}
		if at, err := time.Parse(time.RFC3339, want); err != nil || !got.Equal(at) {
			t.Errorf("%q resets at %s, want %s (%v)", text, got.UTC().Format(time.RFC3339), want, err)
		}
	}
	december := time.Date(2026, 12, 30, 12, 0, 0, 0, time.UTC)
	if got := ResetTime("resets Jan 2, 2pm (UTC)", december); got.Year() != 2027 {
		t.Errorf("over new year it resets at %s", got)
	}
}

// FuzzResetTime checks that the reset in any text is soon and not past, or unknown.
func FuzzResetTime(f *testing.F) {
	for _, s := range []string{
		"resets 3pm", "resets Nov 24, 2:13pm (America/New_York)", "|1795291200", "reset in 2h 10m", "resets 2026-11-22T01:00:00Z", "resets Mon 9am",
		"İİİ resets 3pm (UTC)",
	} {
		f.Add(s, int64(1795291100))
	}
	f.Fuzz(func(t *testing.T, text string, sec int64) {
		now := time.Unix(sec%(1<<33), 0)
		if at := ResetTime(text, now); !at.IsZero() && (!at.After(now) || at.Sub(now) > resetHorizon) {
			t.Errorf("%q resets at %s, seen from %s", text, at, now)
		}
		if tr := ClaudeTrouble("rate_limit", "", text, now); tr.Why == "" {
			t.Errorf("%q has no words", text)
		}
	})
}

// 2.1.329 printed these texts when the API gave these answers.
func TestClaudeTrouble(t *testing.T) {
	now := time.Date(2026, 11, 21, 19, 0, 0, 0, time.UTC)
	const gateway = " This is a server-side issue, usually temporary — try again in a moment. If it persists, check your inference gateway (127.0.0.1:8911)."
	for _, c := range []struct {
		kind, details, said string
		want                TroubleKind
		why                 string
		until               bool
	}{
		{"rate_limit", "", "You've hit your weekly limit · resets Nov 24, 8:14pm (UTC)", TroubleUsage, "weekly limit", true},
		{"rate_limit", "", "You've hit your monthly spend limit.", TroubleUsage, "monthly spend limit", false},
		{"rate_limit", "", "You're out of usage credits · resets 9pm (UTC)", TroubleUsage, "out of usage credits", true},
		{"rate_limit", "", "API Error: Request rejected (429) · This request would exceed your rate limit", TroubleAPI, "API rate limit", false},
		{"rate_limit", "", "API Error: Server is temporarily limiting requests (not your usage limit) · limit", TroubleAPI, "API rate limit", false},
		{"server_error", "", "API Error: 529 Overloaded." + gateway, TroubleAPI, "API overloaded", false},
		{"server_error", "", "API Error: 500 Internal server error." + gateway, TroubleAPI, "API error: 500 Internal server error", false},
		{"server_error", "", "API Error: Connection to the API was lost (ECONNRESET). This is usually temporary — try again.", TroubleAPI, "API cannot be reached", false},
		{"authentication_failed", "", "Invalid API key · Fix external API key", TroublePerson, "its token or key is not accepted: Invalid API key", false},
		{"authentication_failed", "", "Not logged in · Please run /login", TroublePerson, "not logged in", false},
		{"authentication_failed", "", "Please run /login · API Error: 403 Your account does not have access", TroublePerson, "access refused (403): 403 Your account does not have access", false},
		{"billing_error", "", "Credit balance is too low", TroublePerson, "billing: Credit balance is too low", false},
		{"model_not_found", "", "There's an issue with the selected model (x).", TroublePerson, "the model does not exist", false},
		{"invalid_request", `400 {"message":"prompt is too long: 250000 tokens > 200000 maximum"}`, "Prompt is too long", TroubleFull, "the conversation is too long", false},
		{"invalid_request", "", "Request too large (max 32MB). Accumulated images", TroubleTurn, "the request is too large", false},
		{"unknown", "", "API Error: 400 messages: something is wrong", TroubleTurn, "400 messages: something is wrong", false},
		{"brand_new", "some details", "", TroubleTurn, "brand_new some details", false},
	} {
		got := ClaudeTrouble(c.kind, c.details, c.said, now)
		if got.Kind != c.want || !strings.HasPrefix(got.Why, c.why) || got.Until.IsZero() == c.until {
			t.Errorf("%s %q: %+v, want %s %q", c.kind, c.said, got, c.want, c.why)
		}
	}
}
