package logins

import (
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/problem"
)

// Embeddings returns the configured embeddings service, its key, and where the key comes from: the environment, or what
// an earlier voyage stored at the hub. The service is zero when none is configured. The problem never repeats a part of
// the key.
func Embeddings(hub fleet.Hub, c config.Config) (s meaning.Service, own tokens.Token, from string, p *problem.Problem) {
	s, ok := meaning.ServiceOf(c.Embeddings)
	if !ok {
		return s, own, "", nil
	}
	// Somebody else's repository cannot choose the account that gets the captain's code.
	if own.Secret, from = c.Variable(s.Key); own.Secret != "" && (from == "environment" || from == filepath.Join(hub.Config, ".env")) {
		from = s.Key + ", from " + from
		own.URL, _ = c.Variable(s.At)
	} else {
		var err error
		if own, err = tokens.StoreOf(hub).ReadToken(s.Name); err != nil {
			return s, own, "", &problem.Problem{Kind: problem.Missing, Err: err, Hint: "set " + s.Key}
		}
		from = "kept in " + tokens.StoreOf(hub).File(s.Name)
	}
	if own.Secret == "" {
		return s, own, "", problem.New(problem.Missing, "", "set "+s.Key+", or embeddings: off in "+hub.ConfigFile(),
			"embeddings of %s need its key, and %s is not set (embeddings is from %s)", s.Name, s.Key, c.SourceOf("embeddings"))
	}
	if _, err := meaning.NewClient(s, own.Secret, own.URL); err != nil {
		return s, own, from, &problem.Problem{Kind: problem.Usage, Err: err}
	}
	return s, own, from, nil
}

// MeaningMaker returns the maker of vectors for the captain's own searches, nil when no service is configured. end
// closes it.
func MeaningMaker(hub fleet.Hub, c config.Config) (m *meaning.Maker, end func(), p *problem.Problem) {
	s, own, _, p := Embeddings(hub, c)
	if p != nil || s.Name == "" {
		return nil, func() {}, p
	}
	client, err := meaning.NewClient(s, own.Secret, own.URL)
	if err != nil {
		return nil, func() {}, &problem.Problem{Kind: problem.Usage, Err: err}
	}
	return meaning.NewMaker(client, hub.Cache), client.Close, nil
}
