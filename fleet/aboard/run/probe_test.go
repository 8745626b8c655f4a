package run

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

func TestProbe(t *testing.T) {
	const key = "sk-ant-0123456789-0123456789"
	for name, tt := range map[string]struct {
		script string
		key    string
		want   proto.Proof
	}{
		"works":    {`echo '{"type":"result","subtype":"success","is_error":false,"result":"aye"}'; exit 0`, key, proto.Proof{Works: true}},
		"refused":  {`echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":401,"result":"Invalid API key '$ANTHROPIC_API_KEY'"}'; exit 0`, key, proto.Proof{Text: "login of claude is refused (Invalid API key [secret])", Fix: "make a new key"}},
		"no login": {`echo '{"type":"result","subtype":"success","is_error":false,"result":"Not logged in · Please run /login"}'; exit 0`, key, proto.Proof{Text: "login of claude is refused (Not logged in", Fix: "make a new key"}},
		"limit":    {`echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit"}'; exit 1`, key, proto.Proof{Text: "usage limit", Fix: "wait", Passing: true}},
		"silent":   {`exit 0`, key, proto.Proof{Text: "gave no answer", Fix: "by hand"}},
		"crashes":  {`echo "it \033[31mbroke" >&2; kill -9 $$`, key, proto.Proof{Text: "does not work", Fix: "by hand"}},
		"floods":   {`head -c 3000000 /dev/zero; echo; echo '{"type":"result","subtype":"success","is_error":false,"result":"aye"}'; exit 0`, key, proto.Proof{Text: "gave no answer", Fix: "by hand"}},
		"no key":   {`exit 0`, "", proto.Proof{Text: "has no key"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := aboardtest.NewShip(t, nil)
			t.Setenv("PATH", "/usr/bin:/bin")
			aboardtest.PutClaude(t, dir, tt.script)
			if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": tt.key}); err != nil {
				t.Fatal(err)
			}
			var out bytes.Buffer
			if err := Probe(t.Context(), dir, &out); err != nil {
				t.Fatal(err)
			}
			var got proto.Proof
			if err := json.Unmarshal(out.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			if got.Works != tt.want.Works || got.Passing != tt.want.Passing || !strings.Contains(got.Text, tt.want.Text) || !strings.Contains(got.Fix, tt.want.Fix) {
				t.Errorf("got %+v", got)
			}
			if strings.Contains(out.String(), key) {
				t.Errorf("it shows the key: %s", out.String())
			}
		})
	}
}
