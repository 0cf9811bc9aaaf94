package web

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"libilt.org/go/examples/orchestrator/internal/testjob"
	"libilt.org/go/examples/orchestrator/jobs"
)

// browser starts a Chromium with a tab. ILT_TEST_SCREENSHOTS names a folder for pictures of the page.
func browser(t *testing.T) context.Context {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium here: the page is not tested (Debian: apt-get install chromium)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.WindowSize(1000, 900), chromedp.Flag("disable-quic", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx, chromedp.WithLogf(t.Logf))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 90*time.Second)
	t.Cleanup(cancel)
	if err := chromedp.Run(ctx); err != nil {
		t.Skipf("%s does not start here, so the page is not tested: %v", program, err)
	}
	return ctx
}

func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	folder := os.Getenv("ILT_TEST_SCREENSHOTS")
	if folder == "" {
		return
	}
	var picture []byte
	if err := chromedp.Run(ctx, chromedp.FullScreenshot(&picture, 100)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestPage(t *testing.T) {
	ctx := browser(t)
	server := newServer(t, 1)
	config := testjob.Config(t, 40)
	config.ValidationDataPath = config.DataPath
	config.ValidationFrequency = 10
	first := submit(t, server, config)
	endless := submit(t, server, testjob.Config(t, 1_000_000))

	// The curve of the first job grows to all its steps; the second one runs, and ends by the button.
	var title, points, facts, state string
	var dots int
	card := func(id, part string) string { return `[id="` + id + `"]` + part }
	err := chromedp.Run(ctx,
		chromedp.Navigate(server.URL),
		chromedp.Title(&title),
		chromedp.WaitVisible(card(first, ".done"), chromedp.ByQuery),
		chromedp.Poll(`document.querySelectorAll('`+card(first, " circle")+`').length >= 4`, nil),
		chromedp.AttributeValue(card(first, " polyline"), "points", &points, nil, chromedp.ByQuery),
		chromedp.Text(card(first, " .facts"), &facts, chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelectorAll('`+card(first, " circle")+`').length`, &dots),
		chromedp.WaitVisible(card(endless, ".running"), chromedp.ByQuery),
		chromedp.Poll(`document.querySelector('`+card(endless, " polyline")+`').getAttribute('points')`, nil),
	)
	if err != nil {
		t.Fatal(err)
	}
	screenshot(t, ctx, "running")
	if title != "Training jobs" || len(strings.Fields(points)) != 40 || !strings.HasPrefix(facts, "step 40 of 40 · loss ") {
		t.Errorf("title %q, %d points, facts %q, %d validations", title, len(strings.Fields(points)), facts, dots)
	}
	err = chromedp.Run(ctx,
		chromedp.Click(card(endless, " button"), chromedp.ByQuery),
		chromedp.WaitVisible(card(endless, ".cancelled"), chromedp.ByQuery),
		chromedp.Text(card(endless, " .state"), &state, chromedp.ByQuery),
	)
	if err != nil || state != string(jobs.Cancelled) {
		t.Fatal(state, err)
	}
}

func TestPageForm(t *testing.T) {
	ctx := browser(t)
	server := newServer(t, 1)
	var problem string
	fill := func(text string) chromedp.Action {
		return chromedp.SetValue("textarea", text, chromedp.ByQuery)
	}
	err := chromedp.Run(ctx,
		chromedp.Navigate(server.URL),
		chromedp.Click("summary", chromedp.ByQuery),
		fill(`{"learning_rat": 1}`),
		chromedp.Click("form button", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector("form .error").textContent`, nil),
		chromedp.Text("form .error", &problem, chromedp.ByQuery),
	)
	if err != nil || !strings.Contains(problem, "learning_rate") {
		t.Fatal(problem, err)
	}
	config := testjob.Config(t, 8)
	err = chromedp.Run(ctx,
		fill(`{"model_path": "`+config.ModelPath+`", "data_path": "`+config.DataPath[0]+`", "max_steps": 8,
			"effective_batch_size": 2, "max_batch_len": 256, "max_seq_len": 128, "learning_rate": 1e-3, "num_threads": 1}`),
		chromedp.Click("form button", chromedp.ByQuery),
		chromedp.WaitVisible(".job.done", chromedp.ByQuery),
	)
	if err != nil {
		t.Fatal(err)
	}
	screenshot(t, ctx, "form")
}
