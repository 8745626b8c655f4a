package launch

import (
	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/launch/repository"
)

// WorkOf returns the repository of a voyage, to which its work can be pushed.
func (y Yard) WorkOf(v *fleet.Voyage) (*repository.Work, error) {
	conf, err := y.config(Wish{})
	if err != nil {
		return nil, err
	}
	repo, err := tasks.ParseRepo(v.Repo)
	if err != nil {
		return nil, err
	}
	token, _ := conf.Variable("GH_TOKEN")
	return &repository.Work{Repo: repo, Source: repo.Source(y.Cwd, y.Hub.Home), Token: token}, nil
}
