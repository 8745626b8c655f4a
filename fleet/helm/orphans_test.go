package helm

import (
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
)

// TestUnasked lists the machines of a provider without a login. That is an error if the captain named the provider or
// has configured it for ships, and no error if no machine was ever made there.
func TestUnasked(t *testing.T) {
	t.Parallel()
	h := newHelm(t)
	for _, c := range []struct {
		query url.Values
		told  bool
	}{
		{url.Values{}, false},
		{url.Values{"provider": {"local"}}, false},
		{url.Values{"provider": {"sprites"}}, true},
		{url.Values{"also": {"sprites"}}, true},
	} {
		answer := httptest.NewRecorder()
		h.routes().ServeHTTP(answer, httptest.NewRequest("GET", "/v1/orphans?"+c.query.Encode(), nil))
		var s api.Sweep
		if err := json.Unmarshal(answer.Body.Bytes(), &s); err != nil || answer.Code != 200 {
			t.Fatalf("%v: %d, %v", c.query, answer.Code, err)
		}
		told := len(s.Unasked) == 1 && s.Unasked[0].Provider == "sprites" && strings.Contains(s.Unasked[0].Why, "no token")
		if told != c.told || !c.told && len(s.Unasked) > 0 {
			t.Errorf("%v: %+v", c.query, s.Unasked)
		}
	}
}
