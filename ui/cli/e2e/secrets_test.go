package e2e

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ocaptain/fleet/agent"
	"ocaptain/fleet/tailnet"
	"ocaptain/ui/cli/config"
)

// secret is a text that may be in few places only.
type secret struct {
	name  string
	forms [][]byte // the text itself, and its encoded forms
	agent bool     // agents get it: it may be in the environments of their processes
}

// newSecret returns the secret of a variable; nil for a value too short to be told from other text.
func newSecret(name, value string, agent bool) *secret {
	if i := strings.LastIndexByte(value, '/'); name == "SPRITES_TOKEN" || name == "SPRITE_TOKEN" {
		value = value[i+1:] // the part before names the organization and the token
	}
	if len(value) < 8 {
		return nil
	}
	s := &secret{name: name, agent: agent}
	quoted, _ := json.Marshal(value)
	for _, form := range []string{value, string(quoted[1 : len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value)} {
		s.add(form)
	}
	for _, code := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for offset := range 3 { // for each position in an encoded text
			whole := code.EncodeToString([]byte(strings.Repeat(" ", offset) + value))
			s.add(whole[(offset*8+5)/6 : (offset+len(value))*8/6])
		}
	}
	return s
}

func (s *secret) add(form string) {
	if !slices.ContainsFunc(s.forms, func(b []byte) bool { return string(b) == form }) {
		s.forms = append(s.forms, []byte(form))
	}
}

// in reports whether a text contains the secret.
func (s *secret) in(text []byte) bool {
	return slices.ContainsFunc(s.forms, func(form []byte) bool { return bytes.Contains(text, form) })
}

// secretsOf returns the secrets in an environment: every variable that ocaptain documents as a secret, so that new
// variables are covered too.
func secretsOf(env []string) []*secret {
	var all []*secret
	for _, v := range config.Variables() {
		for _, kv := range env {
			if name, value, _ := strings.Cut(kv, "="); v.Secret && name == v.Name {
				if s := newSecret(name, value, isOfAgents(name)); s != nil {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// withoutSecrets returns an environment without secrets.
func withoutSecrets(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return config.IsSecret(name)
	})
}

// isOfAgents reports whether some agent gets the variable.
func isOfAgents(name string) bool {
	for _, n := range agent.Names() {
		a, _ := agent.Lookup(n)
		if slices.Contains(a.Keys, name) || slices.Contains(a.Pass, name) {
			return true
		}
	}
	return false
}

// canaries sets every secret variable that ocaptain documents, except for the named ones, to a value of its own in
// the form of a token. The secret of a tailnet is not among them, as ocaptain would use it; TestTailnet has one.
func canaries(but ...string) []string {
	prefix := map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-", "ANTHROPIC_API_KEY": "sk-ant-api03-"}
	var env []string
	for _, v := range config.Variables() {
		if v.Secret && v.Name != tailnet.Variable && !slices.Contains(but, v.Name) {
			env = append(env, v.Name+"="+prefix[v.Name]+"canary-"+rand.Text())
		}
	}
	return env
}

// keysIn returns the private keys in the named files.
func keysIn(files ...string) []*secret {
	var all []*secret
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		var record struct{ PrivateKey string }
		if json.Unmarshal(raw, &record) == nil {
			raw = []byte(record.PrivateKey)
		}
		block, _ := pem.Decode(raw)
		if block == nil {
			continue
		}
		// The end of an OpenSSH key is its private half.
		text := base64.StdEncoding.EncodeToString(block.Bytes)
		s := &secret{name: "private key of " + filepath.Base(file)}
		for line := range strings.Lines(string(raw)) {
			if line = strings.TrimSpace(line); len(line) >= 64 && strings.Index(text, line) > len(text)/2 {
				s.add(line)
			}
		}
		if len(s.forms) > 0 {
			all = append(all, s)
		}
	}
	return all
}
