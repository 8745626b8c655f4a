//go:build !long

package dirstore_test

const (
	raceTasks = 300 // claimants race for so many
	killTasks = 60  // TestKill completes so many, by processes that are killed
)
