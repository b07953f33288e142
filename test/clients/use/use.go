// Uses the clients that oapi-codegen makes.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"

	"petstore.test/clients/oapi/catalogue"
	"petstore.test/clients/oapi/control"
)

var next = regexp.MustCompile(`[?&]cursor=([^&>]+)[^>]*>; rel="next"`)

func main() {
	useCatalogue()
	useControl()
}

// Creates animals, then lists all of them, page by page.
func useCatalogue() {
	client := must(catalogue.NewClientWithResponses(os.Getenv("PETSTORE_CATALOGUE_URL"), catalogue.WithRequestEditorFn(bearer("PETSTORE_KEY"))))
	missing := map[int64]bool{}
	for _, name := range []string{"Ada", "Bo", "Cleo"} {
		pet := must(client.CreatePetWithResponse(context.Background(), nil, catalogue.NewPet{Name: name, CategoryId: 1 << 62}))
		missing[need(pet.JSON201, pet.Body).Id] = true
	}
	limit, pages := 2, 0
	var cursor *string
	for pages == 0 || cursor != nil {
		page := must(client.ListPetsWithResponse(context.Background(), &catalogue.ListPetsParams{Limit: &limit, Cursor: cursor}))
		for _, pet := range *need(page.JSON200, page.Body) {
			check(!missing[pet.Id] || pet.CategoryId == 1<<62, page.Body)
			delete(missing, pet.Id)
		}
		pages++
		cursor = nil
		if found := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link")); found != nil {
			cursor = &found[1]
		}
	}
	check(pages > 1 && len(missing) == 0, missing)
}

// Publishes a site, then adds a domain to it.
func useControl() {
	ctx := context.Background()
	client := must(control.NewClientWithResponses(os.Getenv("PETSTORE_CONTROL_URL"), control.WithRequestEditorFn(bearer("PETSTORE_TOKEN"))))
	me := must(client.GetMeWithResponse(ctx, nil))
	account := need(me.JSON200, me.Body).Accounts[0].AccountId
	created := must(client.CreateProjectWithResponse(ctx, account, nil, control.ProjectInput{Name: "Go"}))
	project := need(created.JSON201, created.Body).ProjectId
	content := []byte("<h1>Go</h1>")
	digest := sha256.Sum256(content)
	var files control.UploadInput
	file := map[string]any{"name": "index.html", "bytes": len(content), "sha256": hex.EncodeToString(digest[:])}
	must(0, json.Unmarshal(must(json.Marshal(map[string]any{"files": []any{file}})), &files))
	upload := must(client.BeginUploadWithResponse(ctx, project, nil, files))
	deployment := need(upload.JSON201, upload.Body).DeploymentId
	targets := must(client.ListUploadTargetsWithResponse(ctx, project, deployment, nil))
	for _, target := range need(targets.JSON200, targets.Body).Targets {
		request := must(http.NewRequest("PUT", os.Getenv("PETSTORE_URL")+target.Url, bytes.NewReader(content)))
		for name, value := range target.Headers {
			request.Header.Set(name, value)
		}
		must(0, bearer("PETSTORE_TOKEN")(ctx, request))
		check(must(http.DefaultClient.Do(request)).StatusCode < 300, target)
	}
	published := must(client.PublishUploadWithResponse(ctx, project, deployment))
	need(published.JSON200, published.Body)
	listed := must(client.ListDeploymentsWithResponse(ctx, project, nil))
	check((*need(listed.JSON200, listed.Body))[0].DeploymentId == deployment, listed.Body)
	domain := must(client.AddDomainWithResponse(ctx, project, nil, control.DomainInput{Host: "www.go-pets.com"}))
	check(need(domain.JSON201, domain.Body).State == "awaiting_dns" && len(domain.JSON201.Records) > 0, domain.Body)
}

func bearer(variable string) func(context.Context, *http.Request) error {
	return func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv(variable))
		return nil
	}
}

func must[T any](value T, err error) T {
	check(err == nil, err)
	return value
}

// The expected answer; with another one, the program fails and shows it.
func need[T any](answer *T, body []byte) *T {
	check(answer != nil, string(body))
	return answer
}

func check(holds bool, shown any) {
	if !holds {
		panic(fmt.Sprint(shown))
	}
}
