package run

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
)

// moody returns a model that answers with the error that the newest prompt names.
func moody(reset time.Time) loopback.Brain {
	troubles := map[string]loopback.Reply{
		"rate":     loopback.Fail(429, "rate_limit_error", "This request would exceed your rate limit"),
		"storm":    loopback.Fail(529, "overloaded_error", "Overloaded"),
		"broken":   loopback.Fail(500, "api_error", "Internal server error"),
		"login":    loopback.Fail(401, "authentication_error", "invalid x-api-key"),
		"refused":  loopback.Fail(403, "permission_error", "Your account does not have access"),
		"credit":   loopback.Fail(400, "invalid_request_error", "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."),
		"old":      loopback.Fail(400, "invalid_request_error", "Claude Code 2.1.329 is older than the minimum version required by your organization's policy (2.1.400)."),
		"odd":      loopback.Fail(400, "invalid_request_error", "messages: something is wrong"),
		"nomodel":  loopback.Fail(404, "not_found_error", "model: claude-opus-5-5"),
		"big":      loopback.Fail(413, "request_too_large", "Request exceeds the maximum size"),
		"cut":      {Blocks: []loopback.Block{{Text: "Cut off."}}, Cut: true},
		"fivehour": limitReply("five_hour", reset),
		"weekly":   limitReply("seven_day", reset),
	}
	return func(r loopback.Request) loopback.Reply {
		all := r.Prompts()
		if len(all) > 0 {
			for name, reply := range troubles {
				if strings.Contains(all[len(all)-1], "TROUBLE "+name) {
					return reply
				}
			}
		}
		return loopback.Say("Aye.")
	}
}

// limitReply returns the answer by which the service refuses an account that has used up its limit.
func limitReply(which string, reset time.Time) loopback.Reply {
	reply := loopback.Fail(429, "rate_limit_error", "This request would exceed your account's rate limit")
	reply.Error.Header = http.Header{
		"anthropic-ratelimit-unified-status":               {"rejected"},
		"anthropic-ratelimit-unified-reset":                {fmt.Sprint(reset.Unix())},
		"anthropic-ratelimit-unified-representative-claim": {which},
	}
	return reply
}

// realShip makes a ship with the real Claude Code and returns its home.
func realShip(t *testing.T, api *claudetest.API, secrets map[string]string, env map[string]string) string {
	t.Helper()
	dir := aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Prompt = "Begin."
		s.Env = map[string]string{
			"ANTHROPIC_BASE_URL": api.URL, "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "CLAUDE_CODE_MAX_RETRIES": "1", "PS1": "$ ",
		}
		for k, v := range env {
			s.Env[k] = v
		}
	})
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(claudetest.Binary(t), filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), secrets); err != nil {
		t.Fatal(err)
	}
	return dir
}

const testKey = "sk-ant-test-0123456789-abcdefghij"

// tellAgent types a message, and types it again, since a menu may swallow the first.
func tellAgent(t *testing.T, h *aboardtest.Helm, text string) {
	t.Helper()
	for range 3 {
		var said proto.Said
		if err := h.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: text}, &said); err != nil {
			t.Fatal(err)
		}
		if said.Heard {
			return
		}
	}
	t.Fatalf("%q is not heard", text)
}
