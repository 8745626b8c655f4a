package apitest

import (
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"
)

// token returns an access token for the client's id and secret. Like the real service, it ignores the client id.
func (f *Fake) token(w http.ResponseWriter, r *http.Request) {
	_, secret, ok := r.BasicAuth()
	if !ok {
		secret = r.PostFormValue("client_secret")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if secret != f.secret {
		fail(w, http.StatusUnauthorized, "API token invalid")
		return
	}
	if r.PostFormValue("grant_type") != "client_credentials" {
		fail(w, http.StatusBadRequest, "unsupported grant type")
		return
	}
	scopes := strings.FieldsFunc(r.PostFormValue("scope"), func(c rune) bool { return c == ' ' || c == ',' })
	if len(scopes) == 0 {
		scopes = f.options.Scopes
	}
	for _, s := range scopes {
		if !slices.Contains(f.options.Scopes, s) && !slices.Contains(f.options.Scopes, "all") {
			fail(w, http.StatusForbidden, `OAuth client cannot grant scopes "`+strings.Join(scopes, " ")+`"`)
			return
		}
	}
	text := "tskey-api-" + rand.Text()
	f.tokens[text] = token{scopes, time.Now().Add(f.options.TokenLife)}
	answer(w, map[string]any{
		"access_token": text, "token_type": "Bearer", "expires_in": int(f.options.TokenLife / time.Second),
		"scope": strings.Join(scopes, " "), "tags": strings.Join(f.options.Tags, " "),
	})
}

// admit serves requests whose token has the scope, and refuses others.
func (f *Fake) admit(scope string, next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		f.mu.Lock()
		t, ok := f.tokens[text]
		f.mu.Unlock()
		switch {
		case !ok || time.Now().After(t.until):
			fail(w, http.StatusUnauthorized, "API token invalid")
		case !slices.Contains(t.scopes, scope) && !slices.Contains(t.scopes, "all"):
			fail(w, http.StatusForbidden, "calling actor does not have enough permissions to perform this function")
		default:
			next(w, r)
		}
	})
}
