"""Uses the clients that OpenAPI Generator makes for Python."""

import hashlib
import os
import re
import urllib.request

import petstore_catalogue as catalogue
import petstore_control as control

URL = os.environ["PETSTORE_URL"]


def headers_of(page):
    return {name.lower(): value for name, value in page.headers.items()}


# The catalogue: create animals, then list all of them, page by page.
animals = catalogue.AnimalsApi(
    catalogue.ApiClient(catalogue.Configuration(host=os.environ["PETSTORE_CATALOGUE_URL"], access_token=os.environ["PETSTORE_KEY"]))
)
created = {animals.create_pet(catalogue.NewPet(name=name, category_id=2**62)).id for name in ("Ada", "Bo", "Cleo")}
listed, pages, cursor = [], 0, None
while pages == 0 or cursor is not None:
    page = animals.list_pets_with_http_info(limit=2, cursor=cursor)
    listed += page.data
    pages += 1
    following = re.search(r'[?&]cursor=([^&>]+)[^>]*>; rel="next"', headers_of(page).get("link", ""))
    cursor = following and following[1]
assert pages > 1 and created <= {pet.id for pet in listed}, (pages, created, listed)
assert {pet.category_id for pet in listed if pet.id in created} == {2**62}

# The control API: make a project, publish its site with a deploy token, as a pipeline does, then add a domain to it.
def control_client(url, token):
    return control.ApiClient(control.Configuration(host=url, access_token=token))


user = control_client(os.environ["PETSTORE_CONTROL_URL"], os.environ["PETSTORE_TOKEN"])
account = control.UserApi(user).get_me().accounts[0]
project = control.ProjectsApi(user).create_project(account.account_id, control.ProjectInput(name="Python"))
token = control.ProjectsApi(user).create_deploy_token(project.project_id, control.DeployTokenInput(name="CI")).token
pipeline = control.ProjectsApi(control_client(os.environ["PETSTORE_DEPLOY_URL"], token))
content = b"<h1>Python</h1>"
file = control.UploadInputFilesInner(name="index.html", bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
upload = pipeline.begin_upload(project.project_id, control.UploadInput(files=[file]))
for target in pipeline.list_upload_targets(project.project_id, upload.deployment_id).targets:
    headers = {**target.headers, "Authorization": f"Bearer {token}"}
    urllib.request.urlopen(urllib.request.Request(URL + target.url, content, headers, method="PUT")).close()
deployment = pipeline.publish_upload(project.project_id, upload.deployment_id)
assert pipeline.list_deployments(project.project_id)[0].deployment_id == deployment.deployment_id
domain = control.DomainsApi(user).add_domain(project.project_id, control.DomainInput(host="www.python-pets.com"))
assert domain.state == "awaiting_dns" and domain.records, domain
