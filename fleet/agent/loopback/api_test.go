package loopback

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

const question = `{"model":"m","stream":%t,"system":[{"type":"text","text":"rules"}],"tools":[{"name":"Bash"}],
	"messages":[{"role":"user","content":"hello"}]}`

// ask sends a request as Claude Code does and returns the answer.
func ask(t *testing.T, api *API, method, path, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, api.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Api-Key", "secret")
	req.Header.Set("X-Claude-Code-Session-Id", "s1")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return resp, "cut: " + string(data)
	}
	return resp, string(data)
}

// start starts an API that is closed when the test ends.
func start(t *testing.T, brain Brain) *API {
	t.Helper()
	a, err := Start(brain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

func questionFor(stream bool) string {
	return strings.Replace(question, "%t", map[bool]string{true: "true", false: "false"}[stream], 1)
}

func TestStreamHasEveryEvent(t *testing.T) {
	api := start(t, func(Request) Reply {
		return Reply{Blocks: []Block{{Text: "so"}, {Tool: "Bash", Input: map[string]any{"command": "ls"}}}}
	})
	resp, body := ask(t, api, "POST", "/v1/messages?beta=true", questionFor(true))
	if got := resp.Header.Get("Content-Type"); !strings.HasPrefix(got, "text/event-stream") {
		t.Errorf("content type is %q", got)
	}
	var events []string
	for line := range strings.Lines(body) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "event: "); ok {
			events = append(events, name)
		}
	}
	want := strings.Fields(`message_start content_block_start content_block_delta content_block_stop
		content_block_start content_block_delta content_block_stop message_delta message_stop`)
	if !slices.Equal(events, want) {
		t.Errorf("events are %q", events)
	}
	for _, part := range []string{`"text":"so"`, `"partial_json":"{\"command\":\"ls\"}"`, `"stop_reason":"tool_use"`} {
		if !strings.Contains(body, part) {
			t.Errorf("no %s in\n%s", part, body)
		}
	}
}

func TestPlainAnswerAndLedger(t *testing.T) {
	api := start(t, func(r Request) Reply { return Say(r.Prompts()[0] + " " + r.Key + " " + r.System) })
	for range 2 {
		_, body := ask(t, api, "POST", "/v1/messages", questionFor(false))
		var out answer
		if err := json.Unmarshal([]byte(body), &out); err != nil {
			t.Fatalf("%v in %s", err, body)
		}
		if out.StopReason != "end_turn" || out.Content[0]["text"] != "hello secret rules" {
			t.Errorf("answer is %+v", out)
		}
	}
	s := api.Sessions()
	if len(s) != 1 || s[0].ID != "s1" || s[0].Key != "secret" || s[0].Requests != 2 || s[0].Input == 0 || s[0].Output == 0 {
		t.Errorf("sessions are %+v", s)
	}
	if log := api.Log(); len(log) != 2 || log[1].Fresh[0].Text != "hello" || log[1].Stream {
		t.Errorf("log is %+v", log)
	}
}

func TestOtherEndpoints(t *testing.T) {
	api := start(t, Steps())
	if resp, _ := ask(t, api, "HEAD", "/", ""); resp.StatusCode != http.StatusOK {
		t.Errorf("HEAD / is %s", resp.Status)
	}
	if resp, body := ask(t, api, "POST", "/v1/messages/count_tokens", questionFor(false)); resp.StatusCode != http.StatusOK || !strings.Contains(body, `"input_tokens":`) {
		t.Errorf("count_tokens is %s: %s", resp.Status, body)
	}
	if resp, body := ask(t, api, "GET", "/v1/models", ""); resp.StatusCode != http.StatusNotFound || !strings.Contains(body, `"not_found_error"`) {
		t.Errorf("an unknown path is %s: %s", resp.Status, body)
	}
	if resp, body := ask(t, api, "POST", "/v1/messages", "{"); resp.StatusCode != http.StatusBadRequest || !strings.Contains(body, `"invalid_request_error"`) {
		t.Errorf("a bad body is %s: %s", resp.Status, body)
	}
	resp, err := http.Post(api.URL+"/v1/messages", "application/json", strings.NewReader(questionFor(false)))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a key it is %s", resp.Status)
	}
}

func TestStumble(t *testing.T) {
	limit := Fail(http.StatusTooManyRequests, "rate_limit_error", "slow down")
	limit.Error.Header = http.Header{"Retry-After": {"7"}}
	cut, plain := Say("cut"), Say("plain")
	cut.Cut, plain.Plain = true, true
	api := start(t, Stumble(Steps(Say("at last")), limit, cut, plain))

	resp, body := ask(t, api, "POST", "/v1/messages", questionFor(true))
	if resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "7" || !strings.Contains(body, `"rate_limit_error"`) {
		t.Errorf("refusal is %s %v: %s", resp.Status, resp.Header, body)
	}
	if _, body = ask(t, api, "POST", "/v1/messages", questionFor(true)); !strings.HasPrefix(body, "cut: ") {
		t.Errorf("the stream was not cut: %s", body)
	}
	if resp, _ = ask(t, api, "POST", "/v1/messages", questionFor(true)); resp.Header.Get("Content-Type") != "application/json" {
		t.Errorf("the plain answer is %v", resp.Header)
	}
	if _, body = ask(t, api, "POST", "/v1/messages", questionFor(true)); !strings.Contains(body, "at last") {
		t.Errorf("the last answer is %s", body)
	}
}

// Closing the API does not wait for a model that is still thinking.
func TestCleanupEndsThinking(t *testing.T) {
	t.Run("think", func(t *testing.T) {
		asked := make(chan struct{})
		api := start(t, func(Request) Reply {
			close(asked)
			return Reply{After: time.Hour}
		})
		req, err := http.NewRequestWithContext(t.Context(), "POST", api.URL+"/v1/messages", strings.NewReader(questionFor(true)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Api-Key", "secret")
		go func() {
			if resp, err := http.DefaultClient.Do(req); err == nil {
				_ = resp.Body.Close()
			}
		}()
		<-asked
	})
}
