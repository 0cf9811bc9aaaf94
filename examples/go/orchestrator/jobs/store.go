package jobs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// A store keeps each job in a folder of its own: FOLDER/ID/job.json, and what the run writes under FOLDER/ID/out.
type store struct{ folder string }

func (s store) jobFile(id string) string { return filepath.Join(s.folder, id, "job.json") }

func (s store) outputDir(id string) string { return filepath.Join(s.folder, id, "out") }

// save publishes the job's file by rename: after a crash it is the old one or the new one.
func (s store) save(job Job) (err error) {
	document, err := json.MarshalIndent(job, "", "  ")
	if err != nil {
		return err
	}
	path := s.jobFile(job.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), "job.*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			file.Close()
			os.Remove(file.Name())
		}
	}()
	if _, err := file.Write(document); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// load reads all jobs, oldest first.
func (s store) load() ([]Job, error) {
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(s.folder)
	if err != nil {
		return nil, err
	}
	var jobs []Job
	for _, folder := range folders {
		path := s.jobFile(folder.Name())
		document, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // killed before its first save: nobody was told of the job
			continue
		}
		var job Job
		if err == nil {
			err = json.Unmarshal(document, &job)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return a.Created.Compare(b.Created) })
	return jobs, nil
}
