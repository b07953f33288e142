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
    catalogue.ApiClient(catalogue.Configuration(host=URL, access_token=os.environ["PETSTORE_KEY"]))
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

# The control API: publish a site, then add a domain to it.
client = control.ApiClient(control.Configuration(host=os.environ["PETSTORE_CONTROL_URL"], access_token=os.environ["PETSTORE_TOKEN"]))
projects = control.ProjectsApi(client)
account = control.UserApi(client).get_me().accounts[0]
project = projects.create_project(account.account_id, control.ProjectInput(name="Python"))
content = b"<h1>Python</h1>"
file = control.UploadInputFilesInner(name="index.html", bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
upload = projects.begin_upload(project.project_id, control.UploadInput(files=[file]))
for target in projects.list_upload_targets(project.project_id, upload.deployment_id).targets:
    headers = {**target.headers, "Authorization": f"Bearer {os.environ['PETSTORE_TOKEN']}"}
    urllib.request.urlopen(urllib.request.Request(URL + target.url, content, headers, method="PUT")).close()
deployment = projects.publish_upload(project.project_id, upload.deployment_id)
assert projects.list_deployments(project.project_id)[0].deployment_id == deployment.deployment_id
domain = control.DomainsApi(client).add_domain(project.project_id, control.DomainInput(host="www.python-pets.com"))
assert domain.state == "awaiting_dns" and domain.records, domain
