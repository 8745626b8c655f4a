package cli

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/search/meaning"
	"ocaptain/fleet/tokens"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/logins"
)

// embeddingFindings checks that the embeddings service accepts the key, when one is configured. It keeps a working key at
// the hub, so that voyages under way can go on using it.
func embeddingFindings(ctx context.Context, hub fleet.Hub, c config.Config) []finding {
	s, own, from, wrong := logins.Embeddings(hub, c)
	if s.Name == "" {
		return nil
	}
	f := finding{What: "embeddings", Need: "finding code by what it means", State: healthy}
	var err error
	if wrong != nil {
		f.Fix, err = wrong.Hint, wrong
	} else {
		err = tryEmbeddings(ctx, s, own)
	}
	if err == nil {
		err = tokens.StoreOf(hub).KeepToken(s.Name, own)
	}
	if err != nil {
		f.Found, f.State = err.Error(), missing
		return []finding{f}
	}
	f.Found = s.Name + " takes the key (" + from + "); helm has it now, and the text of your code is sent there"
	return []finding{f}
}

// tryEmbeddings asks a service for the vector of one word.
func tryEmbeddings(ctx context.Context, s meaning.Service, own tokens.Token) error {
	client, err := meaning.NewClient(s, own.Secret, own.URL)
	if err != nil {
		return err
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	_, _, err = client.Vectors(ctx, []string{"ship"}, true)
	return err
}
